"""Every file is written by ``dcq/writer.py`` and opened by ``dcq/incoming/plain_file.py``.

The syntax trees are searched for whatever else opens, writes, renames or links files. A new place
of that kind uses those two, or stands here with its reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dcq.settings import ROOT

TREES = [*sorted((ROOT / "dcq").rglob("*.py")), *sorted((ROOT / "pages").rglob("*.py"))]
THESE_TWO = {"dcq/writer.py", "dcq/incoming/plain_file.py"}

TEMPORARY = "a temporary file or folder of its own, which nobody reads as a result"
MEMORY = "into memory"
LOCK = "a lock; nobody reads it as a result"
LINES = "grows by a line at a time; half a line is left out when it is read"
STORE = "the store itself, on the disk that it is on, under its locks"
OURS = "comes with dcq, so nobody has named it"
OUR_RUN = "of a run, in the folder beside the store that dcq made"
CHECKED = "looked at before, in the process that starts this one"

WRITE = {
    "dcq/asking/ledger.py:open_ledger open": "money is counted in place, under a lock",
    "dcq/asking/purse.py:note open": LINES,
    "dcq/cli.py:_close open": "the null device, when the output has failed",
    "dcq/commands/closed_pipe.py:write open": "the null device, once nobody reads the output",
    "dcq/documents/deck_file.py:powerpoint save": MEMORY,
    "dcq/documents/browser_page.py:written write_text": TEMPORARY,
    "dcq/files/bundle_import.py:_read write_bytes": TEMPORARY,
    "dcq/files/bundle_write.py:_pack ZipFile": MEMORY,
    "dcq/files/bundle_write.py:_parquet write_table": MEMORY,
    "dcq/files/release_export.py:tabulate rename": "a column",
    "dcq/files/variant_sheet.py:_read_xlsx NamedTemporaryFile": TEMPORARY,
    "dcq/files/variant_sheet.py:to_xlsx save": MEMORY,
    "dcq/jobs/command.py:start open": "what a command prints, as it prints it",
    "dcq/jobs/journal.py:write open": LINES,
    "dcq/jobs/lock.py:_note_holder truncate": LOCK,
    "dcq/jobs/lock.py:_one_at_a_time open": LOCK,
    "dcq/jobs/lock.py:_open open": LOCK,
    "dcq/jobs/lock.py:announce truncate": LOCK,
    "dcq/jobs/process.py:spawn_for open": "what a process prints, as it prints it",
    "dcq/jobs/process.py:spawn_for symlink_to": "a second name of that, in the same folder",
    "dcq/models/embedded.py:start open": TEMPORARY,
    "dcq/models/scorers/child.py:main fdopen": "its own output, which is a pipe",
    "dcq/models/embedded_child.py:main rename": TEMPORARY,
    "dcq/models/embedded_child.py:main write_text": TEMPORARY,
    "dcq/models/pacing/rate_limit.py:_account truncate": LOCK,
    "dcq/models/pacing/rate_limit.py:_open FileIO": LOCK,
    "dcq/overlap/scan/manifest.py:add open": LINES,
    "dcq/overlap/scan/pool.py:__init__ NamedTemporaryFile": TEMPORARY,
    "dcq/overlap/scan/pool.py:__init__ dump": TEMPORARY,
    "dcq/protect/make.py:check_folder TemporaryFile": TEMPORARY,
    "dcq/protect/make.py:open_files to_csv": MEMORY,
    "dcq/store/attach.py:_name_for_duckdb symlink_to": TEMPORARY,
    "dcq/store/connect.py:_link copy2": STORE,
    "dcq/store/connect.py:_link link": STORE,
    "dcq/store/connect.py:_copy copyfileobj": TEMPORARY,
    "dcq/store/connect.py:_copy open": TEMPORARY,
    "dcq/store/connect.py:_is_wanted open": LOCK,
    "dcq/store/connect.py:replace_file replace": STORE,
    "dcq/store/connect.py:wait_for_turn open": LOCK,
    "dcq/store/new_file.py:_name link": STORE,
    "dcq/store/new_file.py:_name rename": STORE,
    "dcq/ui/copies.py:replace write_bytes": TEMPORARY,
    "dcq/ui/new_check/checks.py:start touch": "a file's time, by which checks are listed",
}
READ = {
    "dcq/asking/purse.py:read_record read_text": OUR_RUN,
    "dcq/commands/shown.py:_is_bundled ZipFile": OURS,
    "dcq/audit/published.py:figure3 read_csv": OURS,
    "dcq/audit/published.py:table1 read_csv": OURS,
    "dcq/commands/lazy.py:_docstring read_bytes": OURS,
    "dcq/documents/html_report.py:render read_text": OURS,
    "dcq/documents/pictures.py:source read_text": OURS,
    "dcq/documents/report_file.py:print_pdf read_bytes": TEMPORARY,
    "dcq/files/bundle_import.py:_checked_directory ZipFile": "the file that plain_file opened",
    "dcq/files/bundle_import.py:_unpack open": "a member of it",
    "dcq/incoming/arrow.py:_write ParquetFile": CHECKED,
    "dcq/incoming/child.py:limit_memory read_text": "the system's count of pages",
    "dcq/incoming/sheet.py:rows ZipFile": CHECKED,
    "dcq/incoming/sheet.py:rows load_workbook": CHECKED,
    "dcq/jobs/journal.py:activity open": OUR_RUN,
    "dcq/jobs/lock.py:describe_holder open": OUR_RUN,
    "dcq/jobs/lock.py:holder open": OUR_RUN,
    "dcq/jobs/lock.py:is_held open": OUR_RUN,
    "dcq/jobs/lock.py:is_of_command open": OUR_RUN,
    "dcq/jobs/process.py:log_tail read_text": OUR_RUN,
    "dcq/models/embedded.py:_wait_until_well read_text": TEMPORARY,
    "dcq/models/embedded.py:last_line read_bytes": TEMPORARY,
    "dcq/models/scorers/gguf_file.py:__init__ mmap": "the file that plain_file opened",
    "dcq/overlap/meteor.py:_wordnet open": OURS,
    "dcq/overlap/published.py:accuracy read_csv": OURS,
    "dcq/overlap/published.py:accuracy_ceval read_csv": OURS,
    "dcq/overlap/published.py:by_subject read_csv": OURS,
    "dcq/overlap/published.py:contamination read_csv": OURS,
    "dcq/overlap/published.py:ground_truth read_csv": OURS,
    "dcq/overlap/harness/inspect_log.py:unpacked ZipFile": "the file that plain_file opened",
    "dcq/overlap/scan/arrow_files.py:read_parquet ParquetFile": CHECKED,
    "dcq/overlap/scan/arrow_files.py:row_groups ParquetFile": CHECKED,
    "dcq/overlap/scan/pool.py:_prepare open": TEMPORARY,
    "dcq/partitions/bundled.py:_read_human_eval open": OURS,
    "dcq/partitions/catalog.py:read_catalog read_text": OURS,
    "dcq/store/connect.py:_copy open": STORE,
    "dcq/store/copy_child.py:_limit read_text": "the system's count of pages",
    "dcq/ui/copies.py:_content read_bytes": TEMPORARY,
    "dcq/ui/first_visit.py:offer_item read_text": OURS,
    "dcq/ui/handbook.py:read read_text": OURS,
    "dcq/ui/overview/matrix.py:_component read_text": OURS,
    "dcq/variants/lexicon.py:_entries open": OURS,
    "dcq/variants/lexicon.py:_own read_text": OURS,
}

ALWAYS_WRITE = {
    "write_text", "write_bytes", "touch", "hardlink_to", "symlink_to", "savefig", "write_image",
    "write_images", "mkstemp", "NamedTemporaryFile", "TemporaryFile", "SpooledTemporaryFile",
    "FileIO", "copyfile", "copy2", "copytree", "copyfileobj", "write_table", "truncate", "memmap",
    "extractall", "tofile", "savez", "savetxt",
}  # fmt: skip
ALWAYS_READ = {
    "ParquetFile", "load_workbook", "mmap", "loadtxt", "fromfile", "open_code", "fileinput",
}  # fmt: skip
METHODS_READ = {"read_text", "read_bytes"}
TABLES_READ = {"read_csv", "read_parquet", "read_table", "read_json"}  # of pandas and pyarrow
OF_MODULES = {
    "os": {"link", "symlink", "rename", "replace", "truncate"},
    "shutil": {"copy", "move"},
}
FRAMES = {"to_csv", "to_parquet", "to_json", "to_excel", "to_pickle", "to_feather", "to_html"}
WRITING = set("wax+")


def found() -> Iterator[tuple[str, bool]]:
    """Each place that opens or writes a file, as ``path:function call``, and whether it writes."""
    for file in TREES:
        path = file.relative_to(ROOT).as_posix()
        if path not in THESE_TWO:
            for where, call, writes in calls(ast.parse(file.read_bytes()), ""):
                yield f"{path}:{where} {call}", writes


def calls(node: ast.AST, where: str) -> Iterator[tuple[str, str, bool]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        where = node.name
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        kind = kind_of(node, name)
        if kind is not None:
            yield where, name, kind
    elif isinstance(node, ast.Attribute) and node.attr in {"write_bytes", "write_text"}:
        yield where, node.attr, True  # also handed on, to be called later
    elif isinstance(node, ast.Attribute) and node.attr in {"read_bytes", "read_text"}:
        yield where, node.attr, False
    for child in ast.iter_child_nodes(node):
        yield from calls(child, where)


def kind_of(call: ast.Call, name: str) -> bool | None:
    """Whether a call writes a file (True), or opens one (False)."""
    is_method = isinstance(call.func, ast.Attribute)
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    module = owner.id if isinstance(owner, ast.Name) else ""
    plain = not call.keywords and len(call.args) == 1
    if name in ALWAYS_WRITE or name in OF_MODULES.get(module, ()):
        return True
    if name in ALWAYS_READ or (name in TABLES_READ and module in {"pd", "pq"}):
        return False
    if is_method and name in METHODS_READ:
        return False
    if is_method and name in FRAMES and call.args:
        return True
    if is_method and name in {"rename", "replace", "save"} and plain:
        return None if isinstance(call.args[0], ast.Dict) else True
    if name == "dump" and module in {"json", "pickle", "yaml"}:
        return True
    if name in {"open", "ZipFile", "TarFile", "GzipFile", "fdopen"}:
        return opens(call, name, module)
    return None


def opens(call: ast.Call, name: str, module: str) -> bool | None:
    if module == "os" and name == "open":
        return True  # its flags say what for, and few may
    if any(keyword.arg == "fileobj" for keyword in call.keywords):
        return None
    is_path = isinstance(call.func, ast.Attribute) and module not in {"gzip", "zipfile", "io", "os"}
    modes = call.args[: 1 if is_path else 2]
    modes += [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
    for mode in modes:
        text = mode.value if isinstance(mode, ast.Constant) else None
        letters = set(text) if isinstance(text, str) else set()
        if letters <= set("rwaxbt+") and letters & WRITING:
            return True
    return False


def test_nothing_else_writes_files() -> None:
    assert {place for place, writes in found() if writes} == WRITE.keys()


def test_nothing_else_opens_files() -> None:
    assert {place for place, writes in found() if not writes} == READ.keys()


def test_what_writes_is_found() -> None:
    source = """
def f(path, data, frame, book):
    path.write_text("x"); path.write_bytes(b"x"); open(path, "w"); path.open("ab")
    open(path, mode="x")
    os.open(path, os.O_WRONLY); os.replace(a, b); path.rename(other); path.replace(other)
    frame.to_csv(path); frame.to_parquet(path); figure.savefig(path); zipfile.ZipFile(path, "w")
    shutil.copy(a, b); book.save(path); json.dump(x, file); save = path.write_bytes
    path.open("r+b"); io.open(path, "w"); gzip.open(path, "wt")
"""
    kinds = list(calls(ast.parse(source), ""))
    assert all(writes for _, _, writes in kinds)
    assert len({(where, name) for where, name, _ in kinds}) == 12
    harmless = """
def f(path, text, frame):
    text.replace("a", "b"); frame.to_csv(index=False); frame.rename(columns={}); replace(a, b=c)
    moment.replace(tzinfo=UTC); studies.save(store, study); json.dumps(x)
"""
    assert not list(calls(ast.parse(harmless), ""))
    reads = 'path.read_text(); path.open(); open(path); zipfile.ZipFile(path); path.open("rb")'
    assert [writes for _, _, writes in calls(ast.parse(reads), "") if writes] == []
    assert len(list(calls(ast.parse(reads), ""))) >= 5
