"""The configuration of curate, with its lists made ready for many pull requests."""

import re
from functools import cached_property

from openswerl.curate.benchmark import Benchmark
from openswerl.curate.patterns import Patterns
from openswerl.curate.wording import Words, negated, starts
from openswerl.schema import Curate


class Rules:
    """`cfg` is conf/curate as a plain object; each list of it is compiled when a filter first asks."""

    def __init__(self, cfg: Curate, benchmark: Benchmark) -> None:
        self.cfg, self.benchmark = cfg, benchmark

    @cached_property
    def benchmark_names(self) -> frozenset[str]:
        """The benchmark's repositories without their owners."""
        return frozenset(name.rpartition("/")[2] for name in self.benchmark.repositories)

    @cached_property
    def bot_suffixes(self) -> tuple[str, ...]:
        """Endings of user names, in lower case."""
        return tuple(suffix.lower() for suffix in self.cfg.bot_suffixes)

    @cached_property
    def bot_names(self) -> frozenset[str]:
        """User names, in lower case."""
        return frozenset(name.lower() for name in self.cfg.bot_names)

    @cached_property
    def bot_keywords(self) -> Words:
        """Whole tokens, or anywhere in a text, as the paper has it."""
        return Words(self.cfg.bot_keywords, whole_tokens=self.cfg.bot_whole_tokens)

    @cached_property
    def sync_titles(self) -> re.Pattern[str]:
        """How titles of pull requests from an upstream start."""
        return starts(self.cfg.sync_titles)

    @cached_property
    def licences(self) -> frozenset[str]:
        """SPDX ids."""
        return frozenset(self.cfg.licences)

    @cached_property
    def flagged(self) -> dict[str, Patterns]:
        """Paths whose hunks a tool made, by reason."""
        cfg = self.cfg
        lists = {
            "lock_files": cfg.lock_files,
            "generated_files": cfg.generated_files,
            "vendored_files": cfg.vendored_files,
        }
        return {kind: Patterns(patterns) for kind, patterns in lists.items()}

    @cached_property
    def marks(self) -> Words:
        """What generated files say of themselves."""
        return Words(self.cfg.generated_marks, whole_tokens=False)

    @cached_property
    def manifests(self) -> Patterns:
        """Files that state versions."""
        return Patterns(self.cfg.version_files)

    @cached_property
    def kinds(self) -> dict[str, Patterns]:
        """Paths by the label of a pull request that changes no others."""
        cfg = self.cfg
        lists = {"docs_only": cfg.docs_files, "tests_only": cfg.test_files, "ci_only": cfg.ci_files}
        return {kind: Patterns(patterns) for kind, patterns in lists.items()}

    @cached_property
    def code_suffixes(self) -> frozenset[str]:
        """Suffixes of programming files, in lower case."""
        return frozenset(suffix.lower() for suffix in self.cfg.code_suffixes)

    @cached_property
    def bug_words(self) -> Words:
        """Words of an issue that describes a bug."""
        return Words(self.cfg.bug_words)

    @cached_property
    def denied_bug(self) -> re.Pattern[str]:
        """The same words, denied."""
        return negated([*self.cfg.bug_words, *self.cfg.bug_labels])

    @cached_property
    def fix_words(self) -> Words:
        """Words of a pull request's title that says it is a fix."""
        return Words(self.cfg.fix_words)

    @cached_property
    def bug_labels(self) -> Words:
        """Words of labels for bugs."""
        return Words(self.cfg.bug_labels)

    @cached_property
    def feature_labels(self) -> Words:
        """Words of labels for everything else."""
        return Words(self.cfg.feature_labels)

    @cached_property
    def feature_titles(self) -> re.Pattern[str]:
        """How titles of feature requests start."""
        return starts(self.cfg.feature_titles)

    @cached_property
    def feature_phrases(self) -> Words:
        """Phrases in the text of feature requests."""
        return Words(self.cfg.feature_phrases)
