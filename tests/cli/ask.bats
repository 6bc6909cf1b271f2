# psdvec ask: a session of queries.
bats_require_minimum_version 1.5.0
load common

setup() {
    common_setup
    small_vectors
}

# ask [OPTION]...: runs a session on the lines of standard input.
ask() { "$PSDVEC" ask small.safetensors "$@"; }

@test "the answers are those of the commands, with a blank line between them" {
    printf '%s\n' king 'king - man + woman' 'king -man +woman --top 2' 'man : king :: woman' 'compare king paris' \
        'odd king paris queen woman' 'vector king queen' info >lines
    {
        "$PSDVEC" similar small.safetensors king
        echo
        "$PSDVEC" similar small.safetensors king - man + woman
        echo
        "$PSDVEC" similar small.safetensors king -man +woman --top 2
        echo
        "$PSDVEC" analogy small.safetensors man king woman
        echo
        "$PSDVEC" compare small.safetensors king paris
        echo
        "$PSDVEC" odd-one-out small.safetensors king paris queen woman
        echo
        "$PSDVEC" vector small.safetensors king queen
        echo
        "$PSDVEC" info small.safetensors
    } >expected
    ask <lines >printed 2>errors
    diff expected printed
    [ ! -s errors ]
}

@test "names of commands, options and several formats in lines" {
    printf '%s\n' 'similar king --json --top 2' 'analogy man king woman --tsv' 'odd-one-out king paris queen --json' \
        'king paris --tsv' >lines
    {
        "$PSDVEC" similar small.safetensors king --json --top 2
        "$PSDVEC" analogy small.safetensors man king woman --tsv
        "$PSDVEC" odd-one-out small.safetensors king paris queen --json
        "$PSDVEC" similar small.safetensors king paris --tsv
    } >expected
    ask <lines | diff expected -
}

@test "analogies without spaces, with options and with words in quotation marks" {
    "$PSDVEC" analogy small.safetensors man king woman --tsv --top 1 >expected
    for line in 'man : king :: woman --top 1' 'man:king::woman --top 1' "'man' : \"king\"::woman --top 1" \
        '  man  :  king ::woman	--top=1  '; do
        echo "$line" | ask --tsv | diff expected -
    done
    for line in 'man : king' 'man : king :: ' 'man :: king : woman' 'man : king :: woman queen'; do
        echo "$line" | ask >printed 2>errors
        [ ! -s printed ]
        [ "$(cat errors)" = "psdvec ask: line 1: an analogy is written with three words: man : king :: woman" ]
    done
}

@test "an error in a line is reported with its line number, and the session continues" {
    printf '%s\n' kign '' 'king --nosuch' 'compare king' vector 'compare king king' 'set top 0' 'set nosuch 1' \
        'king --output x' 'king --from -' 'king - man +' queen >lines
    ask --top 1 --tsv <lines >printed 2>errors
    "$PSDVEC" similar small.safetensors queen --top 1 --tsv | diff - printed
    grep -q "^psdvec ask: line 1: .*'kign' is not in the model" errors
    ! grep -q 'line 2:' errors
    grep -qx 'psdvec ask: line 3: there is no option --nosuch' errors
    grep -q "^psdvec ask: line 4: 'compare' needs more words" errors
    grep -q "^psdvec ask: line 5: 'vector' needs words; .*: similar vector$" errors
    grep -q "'king' and 'king' are the same word" errors
    grep -q '^psdvec ask: line 7: top must be a whole number from 1 ' errors
    grep -q "^psdvec ask: line 8: there is no setting 'nosuch'; the settings are: top, " errors
    grep -q '^psdvec ask: line 9: --output applies to the whole session' errors
    grep -q '^psdvec ask: line 10: --from cannot read standard input' errors
    grep -q "^psdvec ask: line 11: a word is missing after the sign" errors
    [ ! -e x ]
}

@test "set applies to the following lines; options in a line take precedence" {
    printf '%s\n' 'set top 2' 'set format tsv' king 'king --top 1 --json' 'set top default' 'set format json' \
        'man : king :: woman' >lines
    {
        "$PSDVEC" similar small.safetensors king --top 2 --tsv
        "$PSDVEC" similar small.safetensors king --top 1 --json
        "$PSDVEC" analogy small.safetensors man king woman --json
    } >expected
    ask --top 5 <lines | diff expected -
    printf 'set top 3\nset forms yes\nset\n' | ask --min-score 0.5 >printed
    grep -qx 'top             3' printed
    grep -qx 'forms           yes' printed
    grep -qx 'min-score       0.5' printed
    grep -qx 'format          table' printed
    printf 'set forms maybe\nset top\n' | ask 2>errors
    grep -q "forms is yes or no, not 'maybe'" errors
    grep -q 'write: set top N, or: set top default' errors
}

@test "the session ends with quit or at the end of the input" {
    for word in quit exit; do
        printf 'king\n%s\nqueen\n' $word | ask --top 1 --tsv >printed
        "$PSDVEC" similar small.safetensors king --top 1 --tsv | diff - printed
    done
    ask </dev/null >printed 2>&1
    [ ! -s printed ]
    printf '\n \n\t\n' | ask >printed 2>&1
    [ ! -s printed ]
    # The last line needs no newline; Windows line ends are accepted.
    printf 'king' | ask --top 1 --tsv >one
    printf 'king\r\n' | ask --top 1 --tsv | diff one -
    "$PSDVEC" similar small.safetensors king --top 1 --tsv | diff - one
}

@test "help lists the queries; each command has its own help" {
    echo help | ask >printed
    for line in 'king - man + woman' 'man : king :: woman' 'compare A B' 'odd A B C' 'vector WORD' info 'set NAME VALUE'; do
        grep -q "^$line" printed
    done
    [ "$(wc -L <printed)" -le 80 ]
    echo 'odd --help' | ask | diff <("$PSDVEC" odd-one-out --help) -
}

@test "words that are commands, apostrophes and invalid bytes" {
    printf "help 1 0\nking's 1 1\n'tis 0 1\nset 0.5 1\n" >odd.vec
    "$PSDVEC" convert odd.vec -o odd.safetensors -q
    printf '%s\n' 'similar help' "king's" "'tis" 'set - help' "\"king's\"" >lines
    "$PSDVEC" ask odd.safetensors --tsv --top 1 <lines | grep -v '^question' | cut -f 1 >asked
    printf '%s\n' help "king's" "'tis" 'set - help' "king's" | diff - asked
    printf 'ki\0ng\nking\n' | ask --tsv --top 1 2>errors >printed
    grep -q 'line 1: the line contains a zero byte' errors
    [ "$(wc -l <printed)" -eq 2 ]
    printf '\377\376\nking\n' | ask --tsv --top 1 2>errors >printed
    [ "$(wc -l <printed)" -eq 2 ]
    [ "$(wc -l <errors)" -eq 1 ]
}

@test "answers go to the file of -o; a missing model ends the session at once" {
    printf 'king\nqueen\n' | ask --tsv -o answers
    printf 'king\nqueen\n' | ask --tsv | diff answers -
    refused 3 "nosuch" ask nosuch.safetensors </dev/null
    refused 2 "give a model" ask
}

# typed LINE...: a session at a terminal of the kind $KIND (xterm). Each argument is typed at the
# next prompt; "resize" changes the size of the window instead. Prints the contents of the terminal.
# A session that does not end within a minute is a failure.
typed() {
    command -v python3 >/dev/null || skip "no python3"
    LC_ALL=C.UTF-8 TERM=${KIND:-xterm} XDG_STATE_HOME=$PWD/state python3 - "$PSDVEC" "$@" <<'PYTHON'
import fcntl, os, pty, select, signal, struct, sys, termios, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], ["psdvec", "ask", "small.safetensors", "--top", "1", "--color", "never"])
def late(*_):
    os.kill(pid, signal.SIGKILL)
    sys.exit("the session hangs; shown so far: %r" % shown)
signal.signal(signal.SIGALRM, late)
signal.alarm(60)
shown = b""
def read():
    global shown
    try:
        more = os.read(fd, 65536)
    except OSError:
        more = b""
    shown += more
    return more != b""
def size(columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
size(80)
prompts = 0
for line in sys.argv[2:]:
    if line == "resize":
        time.sleep(0.3)
        size(40)
        continue
    while shown.count(b"psdvec> ") <= prompts and read():
        pass
    prompts = shown.count(b"psdvec> ")
    os.write(fd, line.encode())
while True:
    # The terminal may drop a Ctrl-D typed while its mode changes: type it again.
    if not select.select([fd], [], [], 2)[0] and sys.argv[-1] == "\x04":
        os.write(fd, b"\x04")
    elif not read():
        break
sys.stdout.buffer.write(shown.replace(b"\r", b""))
status = os.waitpid(pid, 0)[1]
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 99)
PYTHON
}

# Whether the program was built with libedit.
edits() { grep -q psdvec-complete "$PSDVEC" || skip "built without libedit"; }

# asked WORD: checks that the session in the file `shown` has the answer to this query.
asked() {
    "$PSDVEC" similar small.safetensors "$1" --top 1 | tail -n 1 >answer
    grep -qxF -f answer shown
}

@test "at a terminal there is a prompt, and Ctrl-C discards the line but does not end the session" {
    for KIND in dumb xterm; do
        typed $'king\n' $'que\003' $'\003' $'kign\n' $'paris\n' $'quit\n' >shown
        head -n 1 shown | grep -qx 'small.safetensors: 8 words. Type a word, help or quit.'
        [ "$(grep -c '^psdvec> ' shown)" -eq 6 ]
        asked king
        asked paris
        ! asked queen
        grep -q "^psdvec ask: .*'kign' is not in the model" shown
        # The end of the input ends the session, too.
        typed $'king\n' $'\004' >shown
        asked king
    done
}

@test "Tab completes words, commands, settings, options and file names" {
    edits
    typed $'par\t\n' $'caf\t\n' $'LON\t\n' $'quit\n' >shown
    asked paris
    asked café
    asked london
    typed $'king - ma\t+ wom\t\n' $'man:king::wo\t\n' $'quit\n' >shown
    [ "$(grep -c '^  queen ' shown)" -eq 2 ]
    typed $'set form\t' $'at j\t\n' $'king --min-s\t0.9\n' $'quit\n' >shown
    grep -q '^format  *forms *$' shown || grep -q '^forms  *format *$' shown
    grep -q '^{.*"queen"' shown
    # File names, in quotation marks if they contain blanks.
    mkdir 'my folder'
    echo paris >'my folder/words.txt'
    typed $'similar --from my\two\t\n' $'quit\n' >shown
    asked paris
    # Text without completions does not change; several completions are listed.
    typed $'qq\tueen\x01\x04\n' $'\tquit\n' >shown
    asked queen
    grep -q '^similar  *analogy  *compare' shown
}

@test "the list of completions is short, and its words are the most frequent first" {
    edits
    # word99 occurs once, word01 99 times.
    seq 99 | awk '{ for (k = $1; k < 100; k++) printf "word%02d ", $1 }' >text
    "$PSDVEC" train text --dim 3 --min-count 1 --digits keep -o small.safetensors -q --hold-out 0
    typed $'wor\t\t' $'01\n' $'quit\n' >shown
    grep -q '^word01  *word02  *word03 ' shown
    grep -q '^(59 more)$' shown
    ! grep -q 'word41' shown
}

@test "lines are kept for the next session, but only those typed at a terminal" {
    edits
    typed $'king\n' $' \n' $'paris\n' $'paris\n' $'café\n' $'quit\n' >shown
    printf '%s\n' king paris café quit | diff - state/psdvec/history
    [ "$(stat -c %a state/psdvec/history)" = 600 ]
    # Up twice: the line before quit was café; Ctrl-R finds king.
    typed $'\033[A\033[A\n' $'\022kin\n' $'quit\n' >shown
    asked café
    asked king
    printf '%s\n' king paris café quit café king quit | diff - state/psdvec/history
    echo london | XDG_STATE_HOME=$PWD/state ask >printed
    KIND=dumb typed $'london\n' $'quit\n' >shown
    ! grep -q london state/psdvec/history
}

@test "the history is limited, and a folder that cannot be created is not an error" {
    edits
    mkdir -p state/psdvec
    seq 2500 >state/psdvec/history
    typed $'king\n' $'quit\n' >shown
    { seq 1501 2500 && printf '%s\n' king quit; } | diff - state/psdvec/history
    rm -r state
    touch state
    typed $'king\n' $'quit\n' >shown
    asked king
    [ ! -s state ]
}

@test "the line is kept when the window is resized" {
    edits
    typed 'par' resize $'is\n' $'queen\n' $'quit\n' >shown
    asked queen
    grep -q '^paris$' state/psdvec/history
}
