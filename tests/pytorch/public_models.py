# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of public packages, as small as their options make them and with random weights, for compare_public.py.

MODELS has {name: (package, inputs, target, loss, function that makes the module)}; shapes include the batch, and with
loss None the target has the shape of the output (mean squared error). Needs torch; each function imports its package.
"""
import importlib

import torch
import torch.nn.functional as F
from torch import nn

from modules import CROSS_ENTROPY, MSE, index, normal

MODELS = {}
BATCH, WORDS, LENGTH, CLASSES = 3, 13, 6, 4


def model(name, package, inputs, target, loss, make):
    assert name not in MODELS, name
    MODELS[name] = package, inputs, target, loss, make


#===-- transformers ----------------------------------------------------------------------#


class Logits(nn.Module):
    """A model of the transformers package as a function of tensors. Classes are axis 1 of the result."""

    def __init__(self, whole, names, result="logits"):
        super().__init__()
        self.model, self.names, self.result = whole, names, result

    def forward(self, a, b=None):
        given = dict(zip(self.names, (a, b)))
        if self.names == ("input_ids",):
            given["attention_mask"] = torch.ones_like(a)
        result = getattr(self.model(**given), self.result)
        return result.transpose(1, 2) if self.result == "logits" and result.dim() == 3 else result


def hugging(kind, config, names, result="logits", **options):
    """`kind`: of the package's model, such as GPT2LMHeadModel; `config`: the name of its options' class."""
    def make():
        package = importlib.import_module("transformers")
        return Logits(getattr(package, kind)(getattr(package, config)(**options)), names, result)

    return make


TEXT = dict(vocab_size=WORDS, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=24,
            max_position_embeddings=16)
DECODER = dict(TEXT, use_cache=False, bos_token_id=0, eos_token_id=0, pad_token_id=None)
ENCODER = dict(TEXT, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, pad_token_id=0)
GROUPED = dict(DECODER, num_key_value_heads=2)


def text(name, family, head, options, classes=False):
    labels = {"num_labels": CLASSES} if classes else {}
    model(name, "transformers", [index(WORDS, BATCH, LENGTH)],
          index(CLASSES, BATCH) if classes else index(WORDS, BATCH, LENGTH), CROSS_ENTROPY,
          hugging(family + head, family + "Config", ("input_ids",), **options, **labels))


for name, family, options in (
        ("llama", "Llama", GROUPED), ("mistral", "Mistral", dict(GROUPED, sliding_window=4)),
        ("qwen2", "Qwen2", GROUPED), ("qwen3", "Qwen3", dict(GROUPED, head_dim=4)),
        ("gemma2", "Gemma2", dict(GROUPED, head_dim=4, sliding_window=4)), ("phi", "Phi", DECODER),
        ("phi3", "Phi3", GROUPED), ("olmo2", "Olmo2", GROUPED), ("starcoder2", "Starcoder2", dict(
            GROUPED, residual_dropout=0.0, embedding_dropout=0.0, attention_dropout=0.0)),
        ("cohere", "Cohere", GROUPED), ("stablelm", "StableLm", GROUPED), ("granite", "Granite", GROUPED),
        ("gpt_neox", "GPTNeoX", DECODER), ("mixtral", "Mixtral", dict(
            GROUPED, num_local_experts=3, num_experts_per_tok=2, experts_implementation="batched_mm")),
        ("qwen3_moe", "Qwen3Moe", dict(GROUPED, head_dim=4, num_experts=3, num_experts_per_tok=2, decoder_sparse_step=1,
                                       moe_intermediate_size=8, experts_implementation="batched_mm")),
        ("opt", "OPT", dict(vocab_size=WORDS, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, ffn_dim=24,
                            max_position_embeddings=16, dropout=0.0, use_cache=False, word_embed_proj_dim=8)),
        ("bloom", "Bloom", dict(vocab_size=WORDS, hidden_size=16, n_layer=2, n_head=4, use_cache=False)),
        ("mamba", "Mamba", dict(vocab_size=WORDS, hidden_size=12, state_size=4, num_hidden_layers=2, use_cache=False))):
    text(name, family, "ForCausalLM", options)
FNET = {key: value for key, value in ENCODER.items() if "attention" not in key}
DEBERTA = dict(ENCODER, relative_attention=True, pos_att_type=["c2p", "p2c"], max_relative_positions=4,
               position_buckets=4, pooler_dropout=0.0)
MODERN = dict(TEXT, pad_token_id=0, bos_token_id=0, eos_token_id=0, cls_token_id=0, sep_token_id=0,
              global_attn_every_n_layers=2, local_attention=4)
text("bert", "Bert", "ForMaskedLM", ENCODER)
text("roberta", "Roberta", "ForSequenceClassification", ENCODER, classes=True)
text("electra", "Electra", "ForSequenceClassification", dict(ENCODER, embedding_size=8), classes=True)
text("albert", "Albert", "ForMaskedLM", dict(ENCODER, embedding_size=8))
text("mpnet", "MPNet", "ForMaskedLM", dict(ENCODER, pad_token_id=1))
text("deberta_v2", "DebertaV2", "ForSequenceClassification", DEBERTA, classes=True)
text("fnet", "FNet", "ForMaskedLM", FNET)
text("modernbert", "ModernBert", "ForMaskedLM", MODERN)
text("gpt2", "GPT2", "LMHeadModel", dict(
    vocab_size=WORDS, n_positions=8, n_embd=16, n_layer=2, n_head=4, use_cache=False, resid_pdrop=0.0, embd_pdrop=0.0,
    attn_pdrop=0.0, bos_token_id=0, eos_token_id=0))
text("distilbert", "DistilBert", "ForMaskedLM", dict(
    vocab_size=WORDS, dim=16, n_layers=2, n_heads=4, hidden_dim=24, max_position_embeddings=16, dropout=0.0,
    attention_dropout=0.0))
text("xlnet", "XLNet", "LMHeadModel", dict(
    vocab_size=WORDS, d_model=16, n_layer=2, n_head=4, d_inner=24, dropout=0.0))
text("funnel", "Funnel", "ForMaskedLM", dict(
    vocab_size=WORDS, block_sizes=[1, 1], d_model=16, n_head=2, d_head=8, d_inner=24, num_decoder_layers=1,
    hidden_dropout=0.0, attention_dropout=0.0, activation_dropout=0.0))
SEQUENCES = [index(WORDS, BATCH, LENGTH), index(WORDS, BATCH, LENGTH)]
model("t5", "transformers", SEQUENCES, index(WORDS, BATCH, LENGTH), CROSS_ENTROPY, hugging(
    "T5ForConditionalGeneration", "T5Config", ("input_ids", "decoder_input_ids"), vocab_size=WORDS, d_model=16, d_kv=4,
    d_ff=24, num_layers=1, num_heads=4, dropout_rate=0.0, use_cache=False, decoder_start_token_id=0))
model("bart", "transformers", SEQUENCES, index(WORDS, BATCH, LENGTH), CROSS_ENTROPY, hugging(
    "BartForConditionalGeneration", "BartConfig", ("input_ids", "decoder_input_ids"), vocab_size=WORDS, d_model=16,
    encoder_layers=1, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=24,
    decoder_ffn_dim=24, max_position_embeddings=16, dropout=0.0, use_cache=False, pad_token_id=0, bos_token_id=0,
    eos_token_id=0, decoder_start_token_id=0, forced_eos_token_id=None))
VISION = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=24, image_size=16,
              patch_size=4, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=CLASSES)


def vision(name, family, options, head="ForImageClassification"):
    model(name, "transformers", [normal(BATCH, 3, 16, 16)], index(CLASSES, BATCH), CROSS_ENTROPY,
          hugging(family + head, family + "Config", ("pixel_values",), **options))


STAGES = dict(hidden_sizes=[8, 12], depths=[1, 1], num_labels=CLASSES)
vision("vit", "ViT", VISION)
vision("deit", "DeiT", VISION)
vision("hf_beit", "Beit", dict(VISION, use_relative_position_bias=True, drop_path_rate=0.0))
vision("dinov2", "Dinov2", dict(VISION, drop_path_rate=0.0))
vision("vit_msn", "ViTMSN", VISION)
vision("hf_convnext", "ConvNext", dict(STAGES, num_stages=2))
vision("hf_resnet", "ResNet", dict(STAGES, embedding_size=8, layer_type="basic"))
vision("poolformer", "PoolFormer", dict(
    num_encoder_blocks=2, depths=[1, 1], hidden_sizes=[8, 12], patch_sizes=[3, 3], strides=[2, 2], padding=[1, 1],
    num_labels=CLASSES, drop_path_rate=0.0))
vision("segformer", "Segformer", dict(
    num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1], hidden_sizes=[8, 12], patch_sizes=[3, 3], strides=[2, 2],
    num_attention_heads=[1, 2], mlp_ratios=[2, 2], hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    classifier_dropout_prob=0.0, drop_path_rate=0.0, num_labels=CLASSES))
vision("hf_swin", "Swin", dict(image_size=16, patch_size=2, embed_dim=8, depths=[2, 1], num_heads=[2, 2], window_size=4,
                               drop_path_rate=0.0, num_labels=CLASSES))
vision("hf_swinv2", "Swinv2", dict(image_size=16, patch_size=2, embed_dim=8, depths=[2, 1], num_heads=[2, 2],
                                   window_size=4, drop_path_rate=0.0, num_labels=CLASSES))
model("wav2vec2", "transformers", [normal(BATCH, 80)], index(CLASSES, BATCH), CROSS_ENTROPY, hugging(
    "Wav2Vec2ForSequenceClassification", "Wav2Vec2Config", ("input_values",), hidden_size=16, num_hidden_layers=1,
    num_attention_heads=4, intermediate_size=24, conv_dim=[8, 8], conv_kernel=[5, 3], conv_stride=[3, 2],
    num_conv_pos_embeddings=4, num_conv_pos_embedding_groups=2, hidden_dropout=0.0, attention_dropout=0.0,
    feat_proj_dropout=0.0, activation_dropout=0.0, final_dropout=0.0, layerdrop=0.0, apply_spec_augment=False,
    num_labels=CLASSES))
model("patchtst", "transformers", [normal(BATCH, 12, 2)], normal(BATCH, 4, 2), MSE, hugging(
    "PatchTSTForPrediction", "PatchTSTConfig", ("past_values",), "prediction_outputs", num_input_channels=2,
    context_length=12, prediction_length=4, patch_length=4, patch_stride=2, num_hidden_layers=1, d_model=16,
    num_attention_heads=4, ffn_dim=24, attention_dropout=0.0, ff_dropout=0.0, head_dropout=0.0, loss="mse"))

#===-- timm ------------------------------------------------------------------------------#


def timm_model(name, kind, size=32, module=None, **options):
    """By create_model, or by a class of a module of timm.models."""
    def make():
        package = importlib.import_module("timm")
        if module:
            return getattr(importlib.import_module(f"timm.models.{module}"), kind)(num_classes=CLASSES, **options)
        return package.create_model(kind, num_classes=CLASSES, **options)

    model(name, "timm", [normal(4, 3, size, size)], index(CLASSES, 4), CROSS_ENTROPY, make)


SMALL_VIT = dict(img_size=16, patch_size=4, embed_dim=16, depth=2, num_heads=4)
timm_model("timm_vit", "VisionTransformer", 16, "vision_transformer", **SMALL_VIT)
timm_model("deit3", "VisionTransformer", 16, "vision_transformer", **SMALL_VIT, no_embed_class=True, init_values=0.1)
timm_model("vit_gap_qk", "VisionTransformer", 16, "vision_transformer", **SMALL_VIT, qk_norm=True, global_pool="avg",
           class_token=False, reg_tokens=2)
timm_model("beit", "Beit", 16, "beit", **SMALL_VIT, use_rel_pos_bias=True, init_values=0.1)
timm_model("eva02", "Eva", 16, "eva", **SMALL_VIT, use_rot_pos_emb=True, swiglu_mlp=True, scale_mlp=True, qkv_fused=False)
timm_model("cait", "Cait", 16, "cait", **SMALL_VIT)
timm_model("xcit", "Xcit", 16, "xcit", img_size=16, patch_size=8, embed_dim=16, depth=1, cls_attn_layers=1, num_heads=4)
timm_model("mixer", "MlpMixer", 16, "mlp_mixer", img_size=16, patch_size=4, embed_dim=16, num_blocks=2)
timm_model("convmixer", "ConvMixer", 16, "convmixer", dim=12, depth=2, kernel_size=3, patch_size=4)
timm_model("swin", "SwinTransformer", 16, "swin_transformer", img_size=16, patch_size=2, embed_dim=8, depths=(2, 1),
           num_heads=(2, 2), window_size=4)
timm_model("swinv2", "SwinTransformerV2", 16, "swin_transformer_v2", img_size=16, patch_size=2, embed_dim=8, depths=(2, 1),
           num_heads=(2, 2), window_size=4)
timm_model("convnext", "ConvNeXt", 32, "convnext", depths=(1, 1, 1, 1), dims=(8, 8, 12, 16))
timm_model("convnextv2", "ConvNeXt", 32, "convnext", depths=(1, 1, 1, 1), dims=(8, 8, 12, 16), use_grn=True,
           ls_init_value=None, conv_mlp=True)
timm_model("metaformer", "MetaFormer", 32, "metaformer", depths=(1, 1, 1, 1), dims=(8, 8, 12, 16))
timm_model("edgenext", "EdgeNeXt", 32, "edgenext", dims=(8, 8, 16, 16), depths=(1, 1, 2, 1), heads=(1, 2, 2, 2))
timm_model("pvt_v2", "PyramidVisionTransformerV2", 32, "pvt_v2", depths=(1, 1, 1, 1), embed_dims=(8, 8, 12, 16),
           num_heads=(1, 2, 2, 2))
timm_model("focalnet", "FocalNet", 32, "focalnet", embed_dim=8, depths=(1, 1))
timm_model("volo", "VOLO", 32, "volo", img_size=32, layers=(1, 1, 0, 0), embed_dims=(16, 16, 16, 16), num_heads=(2, 2, 2, 2),
           mlp_ratio=2, stem_hidden_dim=8)
timm_model("levit", "Levit", 32, "levit", img_size=32, embed_dim=(16, 24), key_dim=4, depth=(1, 1), num_heads=(2, 2))
timm_model("mambaout", "MambaOut", 32, "mambaout", depths=(1, 1, 1, 1), dims=(8, 8, 12, 16))
timm_model("starnet", "StarNet", 32, "starnet", base_dim=8, depths=(1, 1))
timm_model("resnet18d", "resnet18d", 32, channels=(8, 8, 12, 16), stem_width=4)
timm_model("seresnet", "seresnet18", 32, channels=(8, 16, 16, 16))
timm_model("mobilenetv3", "mobilenetv3_small_050", 32)
timm_model("lcnet", "lcnet_035", 32)
timm_model("regnet", "regnetx_002", 32)
timm_model("repvit", "RepVit", 32, "repvit", embed_dim=(8, 8), depth=(1, 1))
timm_model("densenet", "DenseNet", 32, "densenet", growth_rate=4, block_config=(2, 2))

#===-- torchvision -----------------------------------------------------------------------#


def vision_model(name, make):
    model(name, "torchvision", [normal(4, 3, 32, 32)], index(CLASSES, 4), CROSS_ENTROPY,
          lambda: make(importlib.import_module("torchvision.models")))


vision_model("squeezenet", lambda m: m.squeezenet1_1(num_classes=CLASSES, dropout=0.0))
vision_model("mobilenet_v2", lambda m: m.mobilenet_v2(num_classes=CLASSES, width_mult=0.1, dropout=0.0))
vision_model("shufflenet", lambda m: m.ShuffleNetV2([1, 1, 1], [8, 12, 16, 24, 32], num_classes=CLASSES))
vision_model("mnasnet", lambda m: m.MNASNet(0.1, num_classes=CLASSES, dropout=0.0))
vision_model("tv_densenet", lambda m: m.DenseNet(4, (2, 2), 8, num_classes=CLASSES))
vision_model("tv_vit", lambda m: m.VisionTransformer(32, 8, 2, 4, 16, 24, num_classes=CLASSES))
vision_model("tv_swin_v2", lambda m: m.SwinTransformer(
    [2, 2], 8, [2, 1], [2, 2], [4, 4], stochastic_depth_prob=0.0, num_classes=CLASSES,
    block=m.swin_transformer.SwinTransformerBlockV2, downsample_layer=m.swin_transformer.PatchMergingV2))
vision_model("tv_resnet_groups", lambda m: m.ResNet(
    m.resnet.BasicBlock, [1, 1, 1, 1], num_classes=CLASSES, norm_layer=lambda channels: nn.GroupNorm(4, channels)))

#===-- torch_geometric -------------------------------------------------------------------#

NODES, EDGES, FEATURES = 7, 18, 5


class Graph(nn.Module):
    """Two convolutions of a graph."""

    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second

    def forward(self, x, edges):
        return self.second(torch.tanh(self.first(x, edges)), edges)


def graph(name, make):
    """make(the package's nn, inputs, outputs) makes a convolution."""
    def whole():
        package = importlib.import_module("torch_geometric.nn")
        return Graph(make(package, FEATURES, 6), make(package, 6, CLASSES))

    model(name, "torch_geometric", [normal(NODES, FEATURES), index(NODES, 2, EDGES)], index(CLASSES, NODES), CROSS_ENTROPY,
          whole)


def perceptron(a, b):
    return nn.Sequential(nn.Linear(a, 8), nn.ReLU(), nn.Linear(8, b))


graph("gcn", lambda p, a, b: p.GCNConv(a, b, add_self_loops=False))
graph("sage", lambda p, a, b: p.SAGEConv(a, b))
graph("sage_max", lambda p, a, b: p.SAGEConv(a, b, aggr="max", normalize=True))
graph("gin", lambda p, a, b: p.GINConv(perceptron(a, b), train_eps=True))
graph("gat", lambda p, a, b: p.GATConv(a, b, heads=2, concat=False, add_self_loops=False))
graph("gatv2", lambda p, a, b: p.GATv2Conv(a, b, heads=2, concat=False, add_self_loops=False, share_weights=True))
graph("graph_transformer", lambda p, a, b: p.TransformerConv(a, b, heads=2, concat=False, beta=True))
graph("graph_conv", lambda p, a, b: p.GraphConv(a, b))
graph("edge_conv", lambda p, a, b: p.EdgeConv(perceptron(2 * a, b)))
graph("tag", lambda p, a, b: p.TAGConv(a, b, normalize=False))
graph("gated_conv", lambda p, a, b: p.ResGatedGraphConv(a, b))
graph("le_conv", lambda p, a, b: p.LEConv(a, b))

#===-- Smaller packages ------------------------------------------------------------------#

class Turned(nn.Module):
    """Classes of words become axis 1."""

    def __init__(self, whole):
        super().__init__()
        self.model = whole

    def forward(self, tokens):
        return self.model(tokens).transpose(1, 2)


class Numbers(Turned):
    def forward(self, x):
        return self.model(x, None)


def other(name, package, inputs, target, loss, make):
    """make(the package) makes the module."""
    model(name, package, inputs, target, loss, lambda: make(importlib.import_module(package)))


TOKENS, PIXELS = index(WORDS, BATCH, LENGTH), normal(BATCH, 3, 16, 16)
ATTENTION = dict(dim=16, heads=2, attn_dim_head=8)
other("x_gpt", "x_transformers", [TOKENS], TOKENS, CROSS_ENTROPY, lambda x: Turned(x.TransformerWrapper(
    num_tokens=WORDS, max_seq_len=LENGTH,
    attn_layers=x.Decoder(depth=2, rotary_pos_emb=True, ff_glu=True, use_rmsnorm=True, **ATTENTION))))
other("simple_vit", "vit_pytorch", [PIXELS], index(CLASSES, BATCH), CROSS_ENTROPY, lambda v: v.SimpleViT(
    image_size=16, patch_size=4, num_classes=CLASSES, dim=16, depth=1, heads=2, mlp_dim=24, dim_head=8))
other("cct", "vit_pytorch.cct", [PIXELS], index(CLASSES, BATCH), CROSS_ENTROPY, lambda v: v.CCT(
    img_size=16, embedding_dim=16, n_conv_layers=1, num_layers=1, num_heads=2, mlp_ratio=2, num_classes=CLASSES,
    dropout_rate=0.0, attention_dropout=0.0, stochastic_depth_rate=0.0))
other("conformer", "conformer", [normal(BATCH, 8, 16)], normal(BATCH, 8, 16), MSE, lambda c: c.ConformerBlock(
    dim=16, dim_head=8, heads=2, ff_mult=2, conv_expansion_factor=2, conv_kernel_size=5))
other("tcn", "pytorch_tcn", [normal(BATCH, 4, 12)], normal(BATCH, 6, 12), MSE, lambda t: t.TCN(
    4, [6, 6], kernel_size=3, dropout=0.0))
other("ft_transformer", "rtdl_revisiting_models", [normal(BATCH, 5)], normal(BATCH, 2), MSE, lambda r: Numbers(
    r.FTTransformer(n_cont_features=5, cat_cardinalities=[], d_out=2, n_blocks=1, d_block=16, attention_n_heads=2,
                    attention_dropout=0.0, ffn_d_hidden_multiplier=1.5, ffn_dropout=0.0, residual_dropout=0.0)))

#===-- By hand, as tutorials write them ---------------------------------------------------#


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        norm = torch.nn.utils.parametrizations.spectral_norm
        self.layers = nn.Sequential(norm(nn.Conv2d(1, 6, 4, 2, 1)), nn.LeakyReLU(0.2), norm(nn.Conv2d(6, 8, 4, 2, 1)),
                                    nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(32, CLASSES))

    def forward(self, x):
        return self.layers(x)


class Radiance(nn.Module):
    """NeRF: coordinates as sines, a skip, densities along a ray."""

    def __init__(self):
        super().__init__()
        self.register_buffer("bands", 2.0 ** torch.arange(3))
        self.first, self.second, self.last = nn.Linear(18, 16), nn.Linear(34, 16), nn.Linear(16, 4)

    def forward(self, points):
        scaled = (points.unsqueeze(-1) * self.bands).flatten(-2)
        coded = torch.cat([scaled.sin(), scaled.cos()], -1)
        h = torch.relu(self.second(torch.cat([torch.relu(self.first(coded)), coded], -1)))
        made = self.last(h)
        density = F.softplus(made[..., 0]) * 0.3
        weights = (1 - torch.exp(-density)) * torch.exp(density - density.cumsum(1))
        return (weights.unsqueeze(-1) * made[..., 1:].sigmoid()).sum(1)


class Words(nn.Module):
    """A language model of an LSTM with a tied head."""

    def __init__(self):
        super().__init__()
        self.table, self.rnn = nn.Embedding(WORDS, 12, padding_idx=0), nn.LSTM(12, 12, 2, batch_first=True)
        self.head = nn.Linear(12, WORDS)
        self.head.weight = self.table.weight

    def forward(self, tokens):
        return self.head(self.rnn(self.table(tokens))[0]).transpose(1, 2)


model("spectral_discriminator", "torch", [normal(BATCH, 1, 8, 8)], index(CLASSES, BATCH), CROSS_ENTROPY, Discriminator)
model("nerf", "torch", [normal(BATCH, 5, 3)], normal(BATCH, 3), MSE, Radiance)
model("lstm_words", "torch", [index(WORDS, BATCH, LENGTH)], index(WORDS, BATCH, LENGTH), CROSS_ENTROPY, Words)
