# Splits a page of the documentation into the steps that docs.bats executes.
#
#   awk -v folder=DIR -f steps.awk PAGE
#
# Each fenced block becomes a file DIR/NNN.KIND, numbered in the order of the page:
#
#   ```sh              NNN.sh        commands
#   ```python          NNN.python    a program; a second word names the modules that it
#                                    needs, with commas: python psdvec,pandas
#   ```c NAME          NNN.file      a file called NAME, which is its first line here
#   ```text            NNN.text      what the step before it prints
#
# Other blocks are not executed.
function begin(kind, first) {
    file = sprintf("%s/%03d.%s", folder, ++number, kind)
    printf "%s", first >file
}
/^```/ && inside { inside = 0; if (file != "") close(file); file = ""; next }
/^```/ {
    inside = 1
    if ($0 == "```sh") begin("sh", "")
    else if ($1 == "```python" && $2 != "checksums") begin("python", "# needs " ($2 == "" ? "numpy" : $2) "\n")
    else if ($1 == "```c" && $2 != "") begin("file", $2 "\n")
    else if ($0 == "```text") begin("text", "")
    next
}
inside && file != "" { print >file }
