"""Single repair tasks for pretraining the base model; the world's pull requests are made of the same parts."""

import random
import re
from dataclasses import dataclass

from openswerl.edits import Block, minimal_blocks, render
from openswerl.laptop import vocabulary as words
from openswerl.laptop.bugs import Bug, find_bugs, untidy
from openswerl.laptop.examples import Example
from openswerl.laptop.functions import Function, behaviour, same, sample_inputs
from openswerl.laptop.issues import statement, write_issue
from openswerl.laptop.modules import Module, write_module, write_wrapper
from openswerl.laptop.templates import TRAIN
from openswerl.records import SourceFile, Task

DOUBLE = 0.4  # most draws find no bug of the same kind in the second file; about one task in eleven remains
THIRD = 0.6
ALONE = 0.08
COMMENTED = 0.15


@dataclass(frozen=True)
class BugTask:
    """A task with its gold edit; `bugs` maps each broken path to (function name, bug).

    `example` is the one that the issue gives.
    """

    task: Task
    gold: list[Block]
    thought: str
    package: str
    kind: str
    bugs: dict[str, tuple[str, Bug]]
    modules: dict[str, Module]
    example: Example | None = None


def pick_bug(rng: random.Random, function: Function, kind: str | None = None) -> Bug | None:
    """Return an observable bug of a kind drawn evenly (or of the given kind), None if there is none."""
    found = find_bugs(function.source, rng)
    kinds = sorted({bug.kind for bug in found}) if kind is None else [kind]
    if not kinds:
        return None
    wanted = rng.choice(kinds)
    candidates = [bug for bug in found if bug.kind == wanted]
    calls = sample_inputs(rng, function.signature)
    good = behaviour(function.source, function.name, calls)
    rng.shuffle(candidates)
    return next((bug for bug in candidates if not same(behaviour(bug.source, function.name, calls), good)), None)


def make_repair(rng: random.Random, *, untidy_fix: bool = False, double: float = DOUBLE) -> BugTask:
    """Return a random repair task on names that the held-out repositories never use; `double`: try two broken files."""
    package = rng.choice(words.PACKAGES)
    first, second, third = (f"{package}/{name}.py" for name in rng.sample(words.MODULES, 3))
    target = write_module(rng, first, TRAIN, held=False)
    two = rng.random() < double
    wrap = not two and rng.random() < 0.5
    related = (write_wrapper if wrap else _sibling)(rng, second, target, TRAIN, held=False)
    function = target.functions[-1] if rng.random() < 0.7 else rng.choice(target.functions)
    bug = pick_bug(rng, function)
    if bug is None or (related.functions and related.functions[-1].name in target.texts):
        return make_repair(rng, untidy_fix=untidy_fix, double=double)
    broken = {first: (function.name, bug)}
    if two:
        other = None if bug.names else pick_bug(rng, related.functions[-1], bug.kind)
        if other is None:
            return make_repair(rng, untidy_fix=untidy_fix, double=double)
        broken[second] = (related.functions[-1].name, other)
    modules = {first: target, second: related}
    if two and rng.random() < THIRD:
        modules[third] = write_wrapper(rng, third, target, TRAIN, held=False)
    return _assemble(rng, package, modules, broken, untidy_fix)


def _sibling(rng: random.Random, path: str, _: Module, templates: list, *, held: bool) -> Module:
    return write_module(rng, path, templates, held=held)


def _assemble(
    rng: random.Random,
    package: str,
    modules: dict[str, Module],
    broken: dict[str, tuple[str, Bug]],
    untidy_fix: bool,
) -> BugTask:
    modules = {path: _commented(rng, module) for path, module in modules.items()}
    fixed, buggy = dict(modules), dict(modules)
    for path, (name, bug) in broken.items():
        good = function_of(modules[path], name).source
        fixed[path] = modules[path].with_text(name, untidy(bug.source, good, _number(rng)) if untidy_fix else good)
        buggy[path] = modules[path].with_text(name, bug.source)
    places = [(p, function_of(modules[p], name), bug) for p, (name, bug) in broken.items()]
    title, body, example = write_issue(rng, places)
    shown = [p for p in buggy if p in broken or rng.random() >= ALONE]
    rng.shuffle(shown)
    files = [SourceFile(p, buggy[p].content) for p in shown]
    gold = minimal_blocks({p: m.content for p, m in buggy.items()}, {p: m.content for p, m in fixed.items()})
    thought = "; ".join(f"{n} in {p}: {b.kind}" for p, (n, b) in broken.items())
    task = Task("pretraining", statement(title, body), files)
    return BugTask(task, gold, thought, package, places[0][2].kind, broken, buggy, example)


def function_of(module: Module, name: str) -> Function:
    """Return the module's correct function of that name."""
    return next(function for function in module.functions if function.name == name)


def _commented(rng: random.Random, module: Module) -> Module:
    """Give a module's functions the comment of an earlier fix now and then, as the world's history does."""
    for name, text in module.texts.items():
        if rng.random() < COMMENTED:
            lines = text.rstrip("\n").split("\n")
            index = rng.randrange(1, len(lines))
            lines[index] += f"  # gh-{_number(rng)}"
            module = module.with_text(name, "\n".join(lines) + "\n")
    return module


def _number(rng: random.Random) -> int:
    return rng.randint(100, 999)


def perfect_answer(task: BugTask) -> str:
    """Return the right answer in the right form."""
    return render(task.thought, task.gold)


def make_instructed_edit(rng: random.Random) -> BugTask:
    """Return an explicit edit of a random statement: teaches finding and copying on code outside the templates."""
    package = rng.choice(words.PACKAGES)
    paths = [f"{package}/{name}.py" for name in rng.sample(words.MODULES, 2)]
    names = [f"{rng.choice(words.VERBS)}_{rng.choice(words.NOUNS)}" for _ in paths]
    bodies = [[_statement(rng) for _ in range(rng.randint(3, 6))] for _ in paths]
    contents = {
        path: f"def {name}({_word(rng)}, {_word(rng)}):\n" + "\n".join(body) + "\n"
        for path, name, body in zip(paths, names, bodies, strict=True)
    }
    place = rng.randrange(2)
    old = rng.choice(bodies[place])
    changed = _replace_token(rng, old)
    if changed is None:
        return make_instructed_edit(rng)
    new, before, after = changed
    path, name, statement_text = paths[place], names[place], old.strip()
    issue = rng.choice(
        [
            f"in {name}, change {before} to {after} in {statement_text}",
            f"{path}: {statement_text} should use {after} and not {before}",
            f"replace {statement_text} by {new.strip()} in {path}",
        ]
    )
    gold = minimal_blocks(contents, {**contents, path: contents[path].replace(f"{old}\n", f"{new}\n", 1)})
    task = Task("pretraining", issue, [SourceFile(p, contents[p]) for p in paths])
    return BugTask(task, gold, f"{name} in {path}: edit", package, "edit", {}, {})


def _word(rng: random.Random) -> str:
    pools = words.SEQUENCES + words.BOUNDS + words.FACTORS + words.ELEMENTS + words.NOUNS
    if rng.random() < 0.4:
        return rng.choice(pools)
    return f"{rng.choice(words.NOUNS)}_{rng.choice(pools)}"


def _statement(rng: random.Random) -> str:
    a, b, c, n = _word(rng), _word(rng), _word(rng), rng.randint(0, 9)
    operator, relation = rng.choice("+-*/"), rng.choice(["<", "<=", ">", ">=", "==", "!="])
    forms = [
        f"{a} = {b} {operator} {c}",
        f"if {a} {relation} {b}:",
        f"return {a}({b}, {c})",
        f"{a}.append({b} {operator} {c})",
        f"for {a} in {b}:",
        f"{a} = {b}[{c}]",
        f"{a} = {b}({c}, {n})",
        f"return {a} {operator} {b}[i]",
        f"{a} = min({b}, {c})",
        f"if {a} {relation} {b} and {a} {relation} {c}:",
        f"return {a}.strip({b})",
        f"if not {a}:",
    ]
    return "    " * rng.choice([1, 1, 2, 2, 3]) + rng.choice(forms)


def _replace_token(rng: random.Random, line: str) -> tuple[str, str, str] | None:
    """Return (new line, old token, new token), None where nothing would change."""
    tokens = _tokens(line)
    before = rng.choice([t for t in tokens if t not in ("if", "for", "in", "return", "=", "not", "and")])
    if before[0].isalpha():
        after = _word(rng)
    elif before.isdigit():
        after = str(rng.randint(0, 9))
    else:
        after = rng.choice("+-*/") if before in "+-*/" else rng.choice(["<", "<=", ">", ">=", "=="])
    position = _find_token(line, before)
    new = line[:position] + after + line[position + len(before) :]
    return None if new == line else (new, before, after)


def _tokens(line: str) -> list[str]:
    """Split a statement into words, comparisons and operators."""
    return re.findall(r"\w+|[<>=!]+|[-+*/]", line)


def _find_token(line: str, token: str) -> int:
    match = re.search(rf"(?<![\w<>=!]){re.escape(token)}(?![\w<>=!])", line)
    return match.start() if match else line.index(token)
