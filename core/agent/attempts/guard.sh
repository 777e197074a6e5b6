# Beside the body of an exclusive attempt: ends all of it before the agent's lease runs out and another attempt may begin, also when
# the agent and its spawner are dead or stopped.
#   sh guard.sh LEASE STOP        LEASE: its first word is the second of the host's uptime when we kill; STOP: where the agent looks for why it ended
# It is in the shim's group, and goes with it.

# A signal to the group is for the body.
trap '' HUP INT QUIT TERM USR1 USR2 ALRM
[ -r /proc/uptime ] || exit 0
PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$PATH"
# Processes of ours must not look like the body's.
mark="REEVE_OUTPUTS=$REEVE_OUTPUTS"
unset REEVE_OUTPUTS

# The agent itself, if it lives, asks the body to end before, see work.ts. No lease is one that has run out.
while read -r until _ <"$1" && read -r now _ </proc/uptime && [ "${now%.*}" -lt "$until" ]; do
  sleep 1 || break
done

[ -e "$2" ] || echo '{"outcome":"lost","why":"its guard stopped it: the agent was away from the control plane for too long"}' >"$2"
# Not before we are done: the shim would end us with the rest of the group.
kill -STOP "$PPID"
# What made a session of its own, too; and once more for what was born meanwhile.
for _ in 1 2 3; do
  for file in $(grep -lszxF "$mark" /proc/[0-9]*/environ); do
    pid=${file#/proc/}
    pid=${pid%/environ}
    [ "$pid" = "$$" ] || [ "$pid" = "$PPID" ] || kill -KILL "$pid"
  done
done
kill -KILL 0
