module {
  train.program @attention {
    train.input @x : tensor<4x24x64xf32>
    train.state parameter @wqkv : tensor<64x192xf32>
    train.state parameter @bqkv : tensor<192xf32>
    train.state parameter @wo : tensor<64x64xf32>
    train.output prediction @y : tensor<4x24x64xf32>
    train.function forward @forward {
      %x = train.read @x : tensor<4x24x64xf32>
      %w = train.read @wqkv : tensor<64x192xf32>
      %b = train.read @bqkv : tensor<192xf32>
      %p = nn.matmul %x, %w : tensor<4x24x64xf32>, tensor<64x192xf32>
      %qkv = nn.add %p, %b : tensor<4x24x192xf32>, tensor<192xf32>
      %q = nn.slice %qkv starts [0, 0, 0] limits [4, 24, 64] steps [1, 1, 1] : tensor<4x24x192xf32>
      %k = nn.slice %qkv starts [0, 0, 64] limits [4, 24, 128] steps [1, 1, 1] : tensor<4x24x192xf32>
      %v = nn.slice %qkv starts [0, 0, 128] limits [4, 24, 192] steps [1, 1, 1] : tensor<4x24x192xf32>
      %qh = nn.reshape %q : tensor<4x24x64xf32> -> tensor<4x24x4x16xf32>
      %kh = nn.reshape %k : tensor<4x24x64xf32> -> tensor<4x24x4x16xf32>
      %vh = nn.reshape %v : tensor<4x24x64xf32> -> tensor<4x24x4x16xf32>
      %qt = nn.transpose %qh [0, 2, 1, 3] : tensor<4x24x4x16xf32>
      %kt = nn.transpose %kh [0, 2, 1, 3] : tensor<4x24x4x16xf32>
      %vt = nn.transpose %vh [0, 2, 1, 3] : tensor<4x24x4x16xf32>
      %s = nn.matmul %qt, %kt transpose_b : tensor<4x4x24x16xf32>, tensor<4x4x24x16xf32>
      %a = nn.softmax %s axis 3 : tensor<4x4x24x24xf32>
      %o = nn.matmul %a, %vt : tensor<4x4x24x24xf32>, tensor<4x4x24x16xf32>
      %ot = nn.transpose %o [0, 2, 1, 3] : tensor<4x4x24x16xf32>
      %of = nn.reshape %ot : tensor<4x24x4x16xf32> -> tensor<4x24x64xf32>
      %wo = train.read @wo : tensor<64x64xf32>
      %y = nn.matmul %of, %wo : tensor<4x24x64xf32>, tensor<64x64xf32>
      train.write %y, @y : tensor<4x24x64xf32>
    }
  }
}
