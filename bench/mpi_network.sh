#!/usr/bin/env bash
# Measures what the network costs psdvec-mpi: processes in network namespaces on this machine, one
# per namespace, connected by links with a delay and a limited rate (tc). Every result is compared
# with that of psdvec. Prints a Markdown table. Needs root, iproute2 and Open MPI. Where the kernel has
# no netem, bench/delay_relay.c, which `make bench-programs` builds, passes and delays the frames, and a
# token bucket limits the rate.
#
#   bash bench/mpi_network.sh TEXT      or counts, for train
#
#   PROCESSES=8
#   LINKS="0ms,10gbit 1ms,1gbit 10ms,100mbit"      delay of a packet in each direction, and rate
#   COMMAND=count                                  or train
#   OPTIONS="--min-count 5"                        of the command
set -eu
build=${BUILD:-build} psdvec=$(realpath "${PSDVEC:-$build/psdvec}") mpi=$(realpath "$build/psdvec-mpi")
text=$(realpath "${1:?usage: bash bench/mpi_network.sh TEXT}") processes=${PROCESSES:-8} command=${COMMAND:-count}
read -ra links <<<"${LINKS:-0ms,10gbit 1ms,1gbit 10ms,100mbit}"
read -ra options <<<"${OPTIONS:---min-count 5}"
name=psdvec$$ net=192.168.211
work=$(mktemp -d "${TMPDIR:-/tmp}/psdvec-bench.XXXXXX")
relay='' netem=1
clean() {
    [ -z "$relay" ] || kill "$relay" 2>/dev/null || true
    for k in $(seq 0 "$processes"); do ip netns del "$name-$k" 2>/dev/null || true; done
    rm -rf "$work"
}
trap clean EXIT

# Namespace 0 has the switch; the others have one process each.
ip netns add "$name-0"
ip -n "$name-0" link add switch type bridge
ip -n "$name-0" link set switch up
ip netns exec "$name-0" tc qdisc add dev lo root netem delay 1ms 2>/dev/null || netem=''
[ -n "$netem" ] || delay_relay=$(realpath "$build/bench/delay_relay")
for k in $(seq "$processes"); do
    ip netns add "$name-$k"
    ip link add "v$k" netns "$name-0" type veth peer name eth netns "$name-$k"
    ip -n "$name-0" link set "v$k" ${netem:+master switch} up
    ip -n "$name-$k" link set lo up
    ip -n "$name-$k" addr add "$net.$k/24" dev eth
    ip -n "$name-$k" link set eth up
done
# What mpirun calls instead of ssh: HOST COMMAND...
cat >"$work/agent" <<END
#!/bin/sh
host=\$1
shift
export TMPDIR="$work/\$host" # mpirun's files of this machine
mkdir -p "\$TMPDIR"
exec ip netns exec "$name-\${host##*.}" sh -c "\$*"
END
chmod +x "$work/agent"
hosts=$(seq "$processes" | sed "s/^/$net./" | paste -sd,)

"$psdvec" "$command" "$text" "${options[@]}" --threads 1 -q -o "$work/alone"
echo "| delay, rate | wall s | exchanged MiB | messages |"
echo "|---|--:|--:|--:|"
limit() { # namespace, delay, rate
    local tc=(ip netns exec "$1" tc qdisc replace dev eth root)
    if [ -n "$netem" ]; then
        "${tc[@]}" netem delay "$2" rate "$3" limit 100000
    else
        "${tc[@]}" tbf rate "$3" burst 256kb latency 1s
    fi
}
for link in "${links[@]}"; do
    for k in $(seq "$processes"); do limit "$name-$k" "${link%,*}" "${link#*,}"; done
    if [ -z "$netem" ]; then
        [ -z "$relay" ] || { kill "$relay" && wait "$relay"; } 2>/dev/null || true
        ip netns exec "$name-0" "$delay_relay" "${link%ms,*}" $(seq -f "v%g" "$processes") &
        relay=$!
    fi
    ip netns exec "$name-1" mpirun --allow-run-as-root --oversubscribe -n "$processes" --host "$hosts" \
        --mca plm_rsh_agent "$work/agent" --mca btl tcp,self --mca btl_tcp_if_include "$net.0/24" \
        --mca oob_tcp_if_include "$net.0/24" --mca mpi_yield_when_idle 1 \
        "$mpi" "$command" "$text" "${options[@]}" --threads 1 -v --log "$work/log" -o "$work/shared" 2>"$work/messages" ||
        { cat "$work/messages" >&2; exit 1; }
    cmp "$work/alone" "$work/shared"
    traffic=$(sed -n 's/.* processes exchanged \([0-9]*\) bytes in \([0-9]*\) messages;.*/\1 \2/p' "$work/messages")
    seconds=$(sed -n 's/.*"event": "result".*"seconds": \([0-9.]*\).*/\1/p' "$work/log")
    echo "| ${link/,/, } | $seconds | $(awk "BEGIN { printf(\"%.1f\", ${traffic% *} / 1048576) }") | ${traffic#* } |"
done
