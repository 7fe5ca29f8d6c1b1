# Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reference modules: transformers, those of the transformers package and those written with PyTorch's own layers.

Needs torch and transformers; only make_references.py reads it (see modules.py).
"""
import torch
import torch.nn.functional as F
import transformers
from torch import nn

from modules import ADAM, ADAMW, CROSS_ENTROPY, MSE, SLOW, index, normal, registry

REFERENCES = []
reference = registry(REFERENCES, "transformers")
LENGTH, VOCABULARY = 5, 11


class Wrapped(nn.Module):
    """A model of the transformers package as a function of tensors alone."""

    def __init__(self, model):
        super().__init__()
        self.model = model


@reference([index(VOCABULARY, LENGTH)], index(VOCABULARY, LENGTH), CROSS_ENTROPY, ADAMW, batch=3)
class Bert(Wrapped):
    """BERT for masked words: tied head, embedding with a padding index, token types, position ids of a buffer."""

    def __init__(self):
        super().__init__(transformers.BertForMaskedLM(transformers.BertConfig(
            vocab_size=VOCABULARY, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=12,
            max_position_embeddings=8, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)))

    def forward(self, tokens):
        return self.model(input_ids=tokens, attention_mask=torch.ones_like(tokens)).logits.transpose(1, 2)


@reference([index(VOCABULARY, LENGTH), index(2, LENGTH)], index(3), CROSS_ENTROPY, ADAMW, batch=3)
class BertClassifier(Wrapped):
    """BERT for classes of texts, with a mask as input: pooler and head. The first token always counts: where none
    does, the newer exporter's file is another function than the module (docs/exporting-from-pytorch.md)."""

    def __init__(self):
        super().__init__(transformers.BertForSequenceClassification(transformers.BertConfig(
            vocab_size=VOCABULARY, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=12,
            max_position_embeddings=8, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=3)))

    def forward(self, tokens, mask):
        counts = (mask > 0) | (torch.arange(LENGTH) == 0)
        return self.model(input_ids=tokens, attention_mask=counts).logits


@reference([index(VOCABULARY, LENGTH)], index(VOCABULARY, LENGTH), CROSS_ENTROPY, ADAMW, batch=3)
class GPT2(Wrapped):
    """GPT-2: layers as Conv1D (weights not transposed), GELU by tanh, causal mask, tied head."""

    def __init__(self):
        super().__init__(transformers.GPT2LMHeadModel(transformers.GPT2Config(
            vocab_size=VOCABULARY, n_positions=8, n_embd=8, n_layer=2, n_head=2, n_inner=12, resid_pdrop=0.0,
            embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False, bos_token_id=0, eos_token_id=0)))

    def forward(self, tokens):
        return self.model(input_ids=tokens, attention_mask=torch.ones_like(tokens)).logits.transpose(1, 2)


@reference([index(VOCABULARY, LENGTH)], index(VOCABULARY, LENGTH), CROSS_ENTROPY, ADAMW, batch=3)
class Llama(Wrapped):
    """Llama: RMS norm, rotary embedding, SwiGLU, two heads that share keys and values."""

    def __init__(self):
        super().__init__(transformers.LlamaForCausalLM(transformers.LlamaConfig(
            vocab_size=VOCABULARY, hidden_size=16, num_hidden_layers=1, num_attention_heads=4, num_key_value_heads=2,
            intermediate_size=12, max_position_embeddings=8, use_cache=False, bos_token_id=0, eos_token_id=0)))

    def forward(self, tokens):
        return self.model(input_ids=tokens, attention_mask=torch.ones_like(tokens)).logits.transpose(1, 2)


@reference([index(VOCABULARY, LENGTH), index(VOCABULARY, LENGTH)], index(VOCABULARY, LENGTH), CROSS_ENTROPY, ADAMW,
           batch=3)
class T5(Wrapped):
    """T5: encoder and decoder, buckets of relative positions, RMS norm without a mean, no scale of scores."""

    def __init__(self):
        super().__init__(transformers.T5ForConditionalGeneration(transformers.T5Config(
            vocab_size=VOCABULARY, d_model=8, d_kv=4, d_ff=12, num_layers=1, num_heads=2, dropout_rate=0.0,
            use_cache=False, relative_attention_num_buckets=4, relative_attention_max_distance=6,
            decoder_start_token_id=0, attn_implementation="eager")))  # what both exporters take

    def forward(self, tokens, words):
        return self.model(input_ids=tokens, decoder_input_ids=words).logits.transpose(1, 2)


@reference([normal(3, 8, 8)], index(3), CROSS_ENTROPY, ADAMW, batch=3)
class ViT(Wrapped):
    """ViT: patches by a convolution, a token of the class, positions as a parameter."""

    def __init__(self):
        super().__init__(transformers.ViTForImageClassification(transformers.ViTConfig(
            hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=12, image_size=8, patch_size=4,
            hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=3)))

    def forward(self, pixels):
        return self.model(pixel_values=pixels).logits


@reference([normal(4, 8), normal(3, 8)], normal(4, 8), MSE, ADAM, batch=3)
class DecoderLayer(nn.Module):
    """nn.TransformerDecoderLayer with a causal mask, attending to a second input."""

    def __init__(self):
        super().__init__()
        self.decoder = nn.TransformerDecoderLayer(8, 2, dim_feedforward=12, dropout=0.0, activation="gelu",
                                                  batch_first=True)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(4))

    def forward(self, x, memory):
        return self.decoder(x, memory, tgt_mask=self.mask, tgt_is_causal=True)


@reference([normal(4, 8), index(2, 4)], normal(4, 8), MSE, ADAM, batch=3)
class PaddingMask(nn.Module):
    """nn.MultiheadAttention that is given which positions are padding, and returns its weights."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x, padding):
        hidden = (padding > 0) & (torch.arange(4) > 0)  # never all positions
        y, weights = self.attention(x, x, x, key_padding_mask=hidden)
        return y + weights @ x


@reference([normal(5, 8)], normal(5, 8), MSE, SLOW, batch=3)
class FusedAttention(nn.Module):
    """scaled_dot_product_attention, causal, and with a mask of floats made by the module."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)
        self.slopes = nn.Parameter(torch.tensor([0.5, 0.25]))

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (2, 4)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        causal = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        distance = torch.arange(5)[None, :] - torch.arange(5)[:, None]
        biased = F.scaled_dot_product_attention(q, k, v, attn_mask=self.slopes[:, None, None] * distance.float())
        return self.out((causal + biased).transpose(1, 2).flatten(2))


@reference([index(VOCABULARY, LENGTH)], index(VOCABULARY, LENGTH), CROSS_ENTROPY, ADAMW, batch=3)
class TiedGPT(nn.Module):
    """A GPT as nanoGPT writes it: causal scaled_dot_product_attention, no biases, tied head, padding index."""

    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(VOCABULARY, 8, padding_idx=0), nn.Embedding(LENGTH, 8)
        self.norm1, self.norm2, self.last = nn.LayerNorm(8), nn.LayerNorm(8), nn.LayerNorm(8)
        self.qkv, self.proj = nn.Linear(8, 24, bias=False), nn.Linear(8, 8, bias=False)
        self.fc, self.out = nn.Linear(8, 12, bias=False), nn.Linear(12, 8, bias=False)
        self.head = nn.Linear(8, VOCABULARY, bias=False)
        self.head.weight = self.wte.weight

    def forward(self, tokens):
        batch, length = tokens.shape
        x = self.wte(tokens) + self.wpe(torch.arange(length, device=tokens.device))
        q, k, v = (part.view(batch, length, 2, 4).transpose(1, 2) for part in self.qkv(self.norm1(x)).split(8, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).contiguous().view(batch, length, 8))
        x = x + self.out(F.gelu(self.fc(self.norm2(x))))
        return self.head(self.last(x)).transpose(1, 2)


@reference([index(VOCABULARY, LENGTH), index(2, LENGTH)], index(3), CROSS_ENTROPY, ADAMW, batch=3,
           frozen=("model.bert.embeddings.*", "model.bert.encoder.layer.0.*"))
class FrozenBert(Wrapped):
    """Fine-tuning: BERT for classes, whose embeddings and first layer are frozen (requires_grad_(False)): weight
    decay does not reach them either."""

    def __init__(self):
        super().__init__(transformers.BertForSequenceClassification(transformers.BertConfig(
            vocab_size=VOCABULARY, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=12,
            max_position_embeddings=8, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=3)))

    def forward(self, tokens, mask):
        counts = (mask > 0) | (torch.arange(LENGTH) == 0)
        return self.model(input_ids=tokens, attention_mask=counts).logits


@reference([index(VOCABULARY, LENGTH), index(2, LENGTH)], index(VOCABULARY, LENGTH), CROSS_ENTROPY, ADAMW, batch=3)
class PaddedLlama(Wrapped):
    """Llama with a padding mask as input, beside the causal one. The first token always counts, so that each query has
    a key."""

    def __init__(self):
        super().__init__(transformers.LlamaForCausalLM(transformers.LlamaConfig(
            vocab_size=VOCABULARY, hidden_size=8, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
            intermediate_size=12, max_position_embeddings=8, use_cache=False, bos_token_id=0, eos_token_id=0)))

    def forward(self, tokens, mask):
        counts = (mask > 0) | (torch.arange(LENGTH) == 0)
        return self.model(input_ids=tokens, attention_mask=counts).logits.transpose(1, 2)
