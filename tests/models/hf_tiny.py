"""A tiny chat model for tests: random weights, and a tokenizer trained on a few lines."""

from __future__ import annotations

from pathlib import Path

LINES = [
    "We was waiting on the bus", "She be working late on Monday", "He ain't never been there",
    "They done finished the homework", "I finna make dinner for the family", "It's cold outside",
    "My cousin stay at the library", "You know where the keys at", "Them shoes been clean",
]  # fmt: skip
TEMPLATE = (
    "{% for m in messages %}"
    "{% if m.role == 'system' and false %}{{ raise_exception('System role not supported') }}"
    "{% endif %}<|{{ m.role }}|>{{ m.content }}"
    "{% if m.role == 'assistant' %}<|end|>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
ROOM = 256


def make_model(folder: Path, *, ends: int = 25, pad: bool = True, system: bool = True) -> Path:
    """Saves a random Llama of two layers with its tokenizer.

    Args:
        folder: Where to.
        ends: Tokens that end an answer, of about 300; 0 for a model that never ends one.
        pad: Whether the tokenizer has a padding token of its own.
        system: Whether the chat template takes a system message.
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    special = ["<|end|>", "<|pad|>", "<|system|>", "<|user|>", "<|assistant|>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=320, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(LINES, trainer)
    fast = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, eos_token="<|end|>", pad_token="<|pad|>" if pad else None
    )
    fast.chat_template = TEMPLATE if system else TEMPLATE.replace("and false", "and true")
    fast.save_pretrained(folder)
    size = len(fast)
    torch.manual_seed(7)
    config = LlamaConfig(
        vocab_size=size,
        hidden_size=48,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=ROOM,
        initializer_range=0.4,
        eos_token_id=0,
        bos_token_id=None,
    )
    model = LlamaForCausalLM(config)
    step = max(1, (size - len(special)) // max(1, ends))
    model.generation_config.eos_token_id = [0, *range(len(special), size, step)] if ends else [0]
    model.save_pretrained(folder)
    return folder
