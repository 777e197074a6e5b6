# One attempt's own parent. It outlives the agent, and does only what must be done even when nobody else is alive.
#   sh shim.sh RECORD ABOUT UMASK GROUPS LEASE STOP COMMAND...        LEASE is empty unless the attempt is exclusive
# Only builtins and one fork: it is on the way of every step. It sets no variable that the body would see.

# Marks the attempt as started; fails when the record exists, so that a body can never start twice.
set -C
exec 3>"$1" || exit 97
set +C

# Room for the exit first, so that a full disk cannot lose it. $$, the start time and more are in the stat line.
read -r _reeve 2>/dev/null <"/proc/$$/stat" || _reeve=$$
printf '%255s\n%s %.200s\n' '' "$2" "$_reeve" >&3 || exit 98
unset _reeve PWD

# From here on our own words go to the record: the shell's "Killed" tells a signal from an exit code above 128.
exec 4<>"$1" 5>&2 2>&3

# A signal to the group is for the body. A handler, as what is ignored would be ignored by the body too.
trap : HUP INT QUIT TERM USR1 USR2 ALRM

# An exclusive body must not outlive the agent's lease.
if [ "$5" ]; then /bin/sh "${0%/*}/guard.sh" "$5" "$6" >/dev/null 2>&1 3>&- 4>&- 5>&- & fi

(
  # The body alone joins its groups, so that running out of memory does not end the shim.
  for _reeve in $4; do echo 0 >"$_reeve/cgroup.procs" || exit 126; done
  # The agent may be dear to the kernel when memory is short; a step is not.
  read -r _reeve 2>/dev/null </proc/self/oom_score_adj && [ "$_reeve" -lt 0 ] && echo 0 >/proc/self/oom_score_adj
  unset _reeve
  umask "$3"
  shift 6
  exec "$@" 2>&5 3>&- 4>&- 5>&-
)
printf '%-255s\n' "exit $?" >&4

# What the body left behind in its group ends with it, and so do we.
kill -KILL 0
