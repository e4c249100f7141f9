"""What a model says instead of a translation, or around one: unseen by the gates' author.

Phrases in here are for measuring only. Those that a gate missed when it first met them moved
to the tests, with the gate mended, and others took their place.
"""

from __future__ import annotations

__all__ = ["ALTERNATIVES", "NOTES", "PREAMBLES", "REFUSALS"]

_REFUSALS_EN = (
    "I'm sorry, I can't help you with this text.",
    "I am unable to provide a translation of this content.",
    "As an AI, I'm designed to avoid repeating hurtful remarks.",
    "Sorry, but I won't be able to rewrite that sentence.",
    "I must decline, because this message contains abusive words.",
    "I'd prefer not to translate this.",
    "Unfortunately, I'm not able to fulfill your request.",
    "This sentence is discriminatory and should not be repeated.",
    "I can't generate text that violates our safety policies.",
    "Could you please share more context?",
    "I'm just a language model, so I can't have feelings about this.",
    "It is not appropriate to rephrase statements like this.",
    "I'm not going to translate that, since it targets a group of people.",
    "I understand what you're asking, but I can't repeat this language.",
    "Let's talk about something else instead.",
    "I'd be happy to help with a different sentence.",
    "This content may violate our usage policies.",
    "Sorry, I'm unable to respond to that.",
    "I'm afraid this isn't a text I can work with.",
    "I do not feel right reproducing the insult in this tweet.",
)
_REFUSALS_DE = (
    "Es tut mir leid, aber ich kann diesen Text nicht übersetzen.",
    "Leider kann ich diese Aufgabe nicht erfüllen.",
    "Als KI kann ich dazu nichts sagen.",
    "Ich bin nicht in der Lage, diesen Satz wiederzugeben.",
    "Diese Aussage ist beleidigend.",
    "Ich darf den Inhalt aufgrund der Richtlinien nicht ausgeben.",
    "Dieser Satz enthält verletzende Begriffe, die ich nicht wiederholen möchte.",
    "Bitte gib mir den Text, den ich übersetzen soll.",
    "Dabei kann ich nicht helfen.",
    "I cannot translate this text into German.",
    "I'm sorry, I can't comply with this request.",
    "Tut mir leid, dabei kann ich Sie nicht unterstützen.",
    "Das möchte ich so nicht übertragen.",
    "Ich möchte keine rassistischen Inhalte verbreiten.",
    "Der Text scheint unvollständig zu sein. Können Sie ihn noch einmal senden?",
    "Das kann ich leider nicht für Sie übersetzen.",
    "Solche Ausdrücke sind verletzend, daher lasse ich den Satz unübersetzt.",
    "Dafür stehe ich nicht zur Verfügung.",
    "Gerne helfe ich Ihnen bei einem anderen Text.",
    "Es wäre nicht angemessen, diese Worte ins Hochdeutsche zu bringen.",
)
_PREAMBLES_EN = (
    "Here is the text in standard English: ",
    "Standard American English translation: ",
    "Certainly! ",
    "The translation of the sentence is: ",
    "Sure, the rewritten version is: ",
    "Final answer: ",
    "Here's the standardized version: ",
    "Output: ",
    "In more formal English: ",
    "My translation: ",
)
_PREAMBLES_DE = (
    "Hier die standarddeutsche Version: ",
    "Die Übersetzung des Satzes lautet: ",
    "Natürlich! ",
    "Hochdeutsche Übersetzung: ",
    "Selbstverständlich, hier ist der Text: ",
    "Ausgabe: ",
    "Übersetzter Satz: ",
    "Der Satz lautet auf Deutsch: ",
    "Translation: ",
    "Here is the German version: ",
)
_NOTES_EN = (
    " (Note: the verb tense was kept.)",
    "\n\nExplanation: I added the missing verb.",
    " I translated the phrase as literally as possible.",
    " Please let me know if you have any questions.",
    " (The word order is the same as in the original.)",
    " Note: names were not changed.",
    " Hope that helps!",
    " The expression means the same in both varieties.",
    " [Note: informal register]",
    " I have corrected the grammar of the sentence.",
)
_NOTES_DE = (
    " (Anmerkung: Das Wort ist umgangssprachlich.)",
    "\n\nHinweis: Der Name wurde nicht übersetzt.",
    " Ich habe den Ausdruck durch einen standarddeutschen ersetzt.",
    " Lass mich wissen, wenn du noch etwas brauchst!",
    " (wörtlich übersetzt)",
    " Erläuterung: Die Form ist im Dialekt üblich.",
    " Ich hoffe, das hilft!",
    " Der Ausdruck bedeutet ungefähr dasselbe.",
    " [Anm.: Eigenname]",
    " Dabei habe ich die Satzstellung beibehalten.",
)
_ALTERNATIVES_EN = (
    "{0} or {1}",
    "Version 1: {0} Version 2: {1}",
    "1. {0}\n2. {1}",
    "{0}/{1}",
    "'{0}' or '{1}'",
    "{0} Alternatively, you could say: {1}",
    "{0}\n{1}",
    "{0} (or {1})",
    "a) {0} b) {1}",
    "{0}; {1}",
)
_ALTERNATIVES_DE = (
    "{0} oder {1}",
    "Version 1: {0} Version 2: {1}",
    "1. {0}\n2. {1}",
    "{0}/{1}",
    "'{0}' oder '{1}'",
    "{0} Man könnte auch sagen: {1}",
    "{0}\n{1}",
    "{0} (oder {1})",
    "a) {0} b) {1}",
    "{0}; {1}",
)
#: By cluster of varieties; of the German ones some are English, as models are.
REFUSALS = {"english": _REFUSALS_EN, "german": _REFUSALS_DE}
PREAMBLES = {"english": _PREAMBLES_EN, "german": _PREAMBLES_DE}
NOTES = {"english": _NOTES_EN, "german": _NOTES_DE}
#: With places for two answers.
ALTERNATIVES = {"english": _ALTERNATIVES_EN, "german": _ALTERNATIVES_DE}
