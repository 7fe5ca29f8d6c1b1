// By what the loss of several batches follows from theirs, where the model computes it itself: each program is the same but
// for the lines of its loss.
// RUN: split-file %s %t
// RUN: sh %t/all.sh %t

//--- all.sh
# Fails where a loss is not taken as its first line says: "// MEAN expression", "// SUM" or "// ERROR message".
set -e
cd "$1"
for loss in *.loss; do
  sed "/LOSS/{
r $loss
d
}" program.mlir > $loss.mlir
  case $loss in static-*) # no dim has a name
    sed -i -e 's/tensor<?x\([0-9]*\)xf32, #nn.dims<batch, _>>/tensor<8x\1xf32>/' \
        -e 's/tensor<?x\(f32\|i64\), #nn.dims<batch>>/tensor<8x\1>/' -e '/train.dim/d' $loss.mlir
  esac
  expected=$(sed -n '1s,^// ,,p' $loss)
  status=0
  dlc-opt $loss.mlir --dlc-resolve-modes --dlc-recipe=set=accumulate=mean --dlc-backward --dlc-verify-backward > $loss.out 2> $loss.err || status=$?
  case "$expected" in
  ERROR*) [ $status != 0 ] && grep -qF -- "${expected#ERROR }" $loss.err && grep -qF -- "cannot be averaged over batches (--accumulate=mean)" $loss.err ;;
  SUM) [ $status = 0 ] && ! grep -q gradient_weight $loss.out ;;
  MEAN*) [ $status = 0 ] && sed -n '/function grad_step/,/^    }/p' $loss.out | grep -qE -- "${expected#MEAN }" &&
         grep -q "train.write .*@gradient_weight" $loss.out ;;
  *) false ;;
  esac || { echo "$loss: expected $expected"; cat $loss.err; exit 1; }
done

//--- program.mlir
!y = tensor<?x5xf32, #nn.dims<batch, _>>
!rows = tensor<?xf32, #nn.dims<batch>>
!labels = tensor<?xi64, #nn.dims<batch>>
train.program @own {
  train.dim @batch = 8
  train.state parameter @w : tensor<3x5xf32>
  train.input @x : tensor<?x3xf32, #nn.dims<batch, _>>
  train.input @n : !y
  train.input @t range [0, 5) ignore -100 : !labels
  train.input @other range [0, 5) ignore -100 : !labels
  train.function forward @forward {
    %x = train.read @x : tensor<?x3xf32, #nn.dims<batch, _>>
    %w = train.read @w : tensor<3x5xf32>
    %n = train.read @n : !y
    %t = train.read @t : !labels
    %u = train.read @other : !labels
    %one = nn.constant dense<1.0> : tensor<f32>
    %half = nn.constant dense<0.5> : tensor<f32>
    %y = nn.matmul %x, %w : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<3x5xf32>
    %d = nn.sub %y, %n : !y, !y
    %q = nn.mul %d, %d : !y, !y
    %w2 = nn.mul %w, %w : tensor<3x5xf32>, tensor<3x5xf32>
    %decay = nn.sum %w2 axes [0, 1] : tensor<3x5xf32>
    // LOSS
  }
}

//--- mean.loss
// MEAN nn.constant dense<4.0+e\+01> : tensor<f64>
%l = nn.mean %q axes [0, 1] : !y
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- sum.loss
// SUM
%l = nn.sum %q axes [0, 1] : !y
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- doubled.loss
// SUM
%d0 = nn.sum %q axes [0, 1] : !y
%d1 = nn.add %d0, %d0 : tensor<f32>, tensor<f32>
%d2 = nn.add %d1, %d1 : tensor<f32>, tensor<f32>
%d3 = nn.add %d2, %d2 : tensor<f32>, tensor<f32>
%d4 = nn.add %d3, %d3 : tensor<f32>, tensor<f32>
%d5 = nn.add %d4, %d4 : tensor<f32>, tensor<f32>
%d6 = nn.add %d5, %d5 : tensor<f32>, tensor<f32>
%d7 = nn.add %d6, %d6 : tensor<f32>, tensor<f32>
%d8 = nn.add %d7, %d7 : tensor<f32>, tensor<f32>
%d9 = nn.add %d8, %d8 : tensor<f32>, tensor<f32>
%d10 = nn.add %d9, %d9 : tensor<f32>, tensor<f32>
%d11 = nn.add %d10, %d10 : tensor<f32>, tensor<f32>
%d12 = nn.add %d11, %d11 : tensor<f32>, tensor<f32>
%d13 = nn.add %d12, %d12 : tensor<f32>, tensor<f32>
%d14 = nn.add %d13, %d13 : tensor<f32>, tensor<f32>
%d15 = nn.add %d14, %d14 : tensor<f32>, tensor<f32>
%d16 = nn.add %d15, %d15 : tensor<f32>, tensor<f32>
%d17 = nn.add %d16, %d16 : tensor<f32>, tensor<f32>
%d18 = nn.add %d17, %d17 : tensor<f32>, tensor<f32>
%d19 = nn.add %d18, %d18 : tensor<f32>, tensor<f32>
%d20 = nn.add %d19, %d19 : tensor<f32>, tensor<f32>
%d21 = nn.add %d20, %d20 : tensor<f32>, tensor<f32>
%d22 = nn.add %d21, %d21 : tensor<f32>, tensor<f32>
%d23 = nn.add %d22, %d22 : tensor<f32>, tensor<f32>
%d24 = nn.add %d23, %d23 : tensor<f32>, tensor<f32>
%d25 = nn.add %d24, %d24 : tensor<f32>, tensor<f32>
%d26 = nn.add %d25, %d25 : tensor<f32>, tensor<f32>
%d27 = nn.add %d26, %d26 : tensor<f32>, tensor<f32>
%d28 = nn.add %d27, %d27 : tensor<f32>, tensor<f32>
%d29 = nn.add %d28, %d28 : tensor<f32>, tensor<f32>
%d30 = nn.add %d29, %d29 : tensor<f32>, tensor<f32>
%d31 = nn.add %d30, %d30 : tensor<f32>, tensor<f32>
%d32 = nn.add %d31, %d31 : tensor<f32>, tensor<f32>
%d33 = nn.add %d32, %d32 : tensor<f32>, tensor<f32>
%d34 = nn.add %d33, %d33 : tensor<f32>, tensor<f32>
%d35 = nn.add %d34, %d34 : tensor<f32>, tensor<f32>
%d36 = nn.add %d35, %d35 : tensor<f32>, tensor<f32>
%d37 = nn.add %d36, %d36 : tensor<f32>, tensor<f32>
%d38 = nn.add %d37, %d37 : tensor<f32>, tensor<f32>
%d39 = nn.add %d38, %d38 : tensor<f32>, tensor<f32>
%d40 = nn.add %d39, %d39 : tensor<f32>, tensor<f32>
train.loss %d40, %one : tensor<f32>, tensor<f32>

//--- mean-of-sums.loss
// MEAN nn.constant dense<8.0+e\+00> : tensor<f64>
%s = nn.sum %q axes [1] : !y
%l = nn.mean %s axes [0] : !rows
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- sum-of-means.loss
// SUM
%s = nn.mean %q axes [1] : !y
%l = nn.sum %s axes [0] : !rows
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- sum-over-classes-of-means-over-rows.loss
// MEAN nn.constant dense<8.0+e\+00> : tensor<f64>
%s = nn.mean %q axes [0] : !y
%l = nn.sum %s axes [0] : tensor<5xf32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- half.loss
// MEAN nn.cast %weight
%m, %weight = nn.mse_loss mean %y, %n : !y, !y
%h = nn.mul %half, %m : tensor<f32>, tensor<f32>
%l = nn.neg %h : tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- half-of-a-sum.loss
// SUM
%m, %weight = nn.mse_loss sum %y, %n : !y, !y
%l = nn.mul %m, %half : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- two-means.loss
// MEAN nn.cast %weight
%m, %weight = nn.mse_loss mean %y, %n : !y, !y
%s = nn.sum %q axes [1] : !y
%k = nn.mean %s axes [0] : !rows
%l = nn.add %m, %k : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- two-of-the-same-labels.loss
// MEAN nn.cast %weight
%m, %weight = nn.softmax_cross_entropy mean %y, %t ignore_index -100 : !y, !labels
%k, %weight2 = nn.softmax_cross_entropy mean %q, %t ignore_index -100 : !y, !labels
%l = nn.sub %m, %k : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- two-of-other-labels.loss
// ERROR 'add' adds means that were divided by different numbers
%m, %weight = nn.softmax_cross_entropy mean %y, %t ignore_index -100 : !y, !labels
%k, %weight2 = nn.softmax_cross_entropy mean %q, %u ignore_index -100 : !y, !labels
%l = nn.add %m, %k : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- labels-and-rows.loss
// ERROR 'add' adds means that were divided by different numbers
%m, %weight = nn.softmax_cross_entropy mean %y, %t ignore_index -100 : !y, !labels
%k = nn.mean %q axes [0, 1] : !y
%l = nn.add %m, %k : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- other-ignored-labels.loss
// ERROR 'add' adds means that were divided by different numbers
%m, %weight = nn.softmax_cross_entropy mean %y, %t ignore_index -100 : !y, !labels
%k, %weight2 = nn.softmax_cross_entropy mean %q, %t ignore_index 0 : !y, !labels
%l = nn.add %m, %k : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- mean-and-decay.loss
// MEAN nn.constant dense<4.0+e\+01> : tensor<f64>
%m = nn.mean %q axes [0, 1] : !y
%l = nn.add %decay, %m : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- sum-and-decay.loss
// ERROR 'add' adds a sum over the batch and what is the same for each batch
%m = nn.sum %q axes [0, 1] : !y
%l = nn.add %m, %decay : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- sum-and-number.loss
// SUM
%m = nn.sum %q axes [0, 1] : !y
%l = nn.add %m, %half : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- sum-and-mean.loss
// ERROR 'add' adds a sum and a mean over the batch
%m = nn.sum %q axes [0, 1] : !y
%k = nn.mean %q axes [0, 1] : !y
%l = nn.add %m, %k : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- weighed.loss
// MEAN nn.sum %.+ axes .0, 1.
%c = nn.relu %n : !y
%p = nn.mul %q, %c : !y, !y
%s = nn.sum %p axes [0, 1] : !y
%k = nn.sum %c axes [0, 1] : !y
%l = nn.div %s, %k : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- labels-counted.loss
// MEAN nn.sum %.+ axes .0. : tensor<8xf32>
%zero = nn.constant dense<0> : tensor<i64>
%counts = nn.compare ge %t, %zero : !labels, tensor<i64>
%mask = nn.cast %counts to f32 : tensor<?xi1, #nn.dims<batch>>
%s = nn.sum %q axes [1] : !y
%p = nn.mul %s, %mask : !rows, !rows
%sum = nn.sum %p axes [0] : !rows
%c = nn.sum %mask axes [0] : !rows
%k = nn.max %c, %one : tensor<f32>, tensor<f32>
%l = nn.div %sum, %k : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- labels-counted-and-a-little.loss
// MEAN nn.sum %.+ axes .0. : tensor<8xf32>
%zero = nn.constant dense<0> : tensor<i64>
%counts = nn.compare ge %t, %zero : !labels, tensor<i64>
%mask = nn.cast %counts to f32 : tensor<?xi1, #nn.dims<batch>>
%s = nn.sum %q axes [1] : !y
%p = nn.mul %s, %mask : !rows, !rows
%sum = nn.sum %p axes [0] : !rows
%c = nn.sum %mask axes [0] : !rows
%little = nn.constant dense<1.0e-8> : tensor<f32>
%k = nn.add %little, %c : tensor<f32>, tensor<f32>
%l = nn.div %sum, %k : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- weights-with-a-floor.loss
// ERROR 'clip' computes with a number of the whole batch, in which it is not linear
%c = nn.relu %n : !y
%p = nn.mul %q, %c : !y, !y
%s = nn.sum %p axes [0, 1] : !y
%k = nn.sum %c axes [0, 1] : !y
%b = nn.clip %k {low = 1.0 : f64, high = 3.0e38 : f64} : tensor<f32>
%l = nn.div %s, %b : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- rows-counted.loss
// MEAN nn.constant dense<8.0+e\+00> : tensor<f64>
%r = nn.expand %one : tensor<f32> -> !rows
%k = nn.sum %r axes [0] : !rows
%s = nn.sum %q axes [0, 1] : !y
%l = nn.div %s, %k : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- divided-before-the-sum.loss
// ERROR 'div' computes with a number of the whole batch before the sum over its samples
%c = nn.relu %n : !y
%k = nn.sum %c axes [0, 1] : !y
%part = nn.div %c, %k : !y, tensor<f32>
%p = nn.mul %q, %part : !y, !y
%l = nn.sum %p axes [0, 1] : !y
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- divided-by-what-is-trained.loss
// ERROR 'div' divides by a number of the whole batch
%s = nn.sum %d axes [0, 1] : !y
%k = nn.sum %q axes [0, 1] : !y
%l = nn.div %s, %k : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- root.loss
// ERROR 'sqrt' computes with a number of the whole batch, in which it is not linear
%m = nn.mean %q axes [0, 1] : !y
%l = nn.sqrt %m : tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- product.loss
// ERROR 'mul' multiplies two numbers of the whole batch
%m = nn.mean %q axes [0, 1] : !y
%l = nn.mul %m, %m : tensor<f32>, tensor<f32>
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- largest.loss
// ERROR 'reduce_max' computes with a number of the whole batch, in which it is not linear
%l = nn.reduce_max %q axes [0, 1] : !y
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- static-mean.loss
// MEAN nn.constant dense<4.0+e\+01> : tensor<f64>
%l = nn.mean %q axes [0, 1] : !y
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- static-sum.loss
// SUM
%s = nn.sum %q axes [1] : !y
%l = nn.sum %s axes [0] : !rows
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- static-mean-of-sums.loss
// ERROR 'mean' is one of a sum and a mean
%s = nn.sum %q axes [1] : !y
%l = nn.mean %s axes [0] : !rows
train.loss %l, %one : tensor<f32>, tensor<f32>
//--- given.loss
// MEAN nn.cast %
%m = nn.mean %q axes [0, 1] : !y
%l = nn.sqrt %m : tensor<f32>
%c = nn.relu %n : !y
%k = nn.sum %c axes [0, 1] : !y
train.loss %l, %k : tensor<f32>, tensor<f32>
