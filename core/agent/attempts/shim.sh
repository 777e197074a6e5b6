# One attempt's own parent. It outlives the agent, and does only what must be done even when nobody else is alive.
#   sh shim.sh [LAUNCH]        started ahead of its attempt it is told LAUNCH on its stdin, or by the end of it that there will be none
# LAUNCH is a file that says `set -- RECORD ABOUT UMASK GROUPS LEASE STOP OUT ERR CWD COMMAND...` (LEASE is empty unless the attempt is
# exclusive) and has a function `variables` that exports the body's.
# Only builtins and one fork: it is on the way of every step. It sets no variable that the body would see.

# What takes a while and is the same for every attempt comes first. $$, the start time and more are in the stat line.
read -r _stat 2>/dev/null <"/proc/$$/stat" || _stat=$$
read -r _score 2>/dev/null </proc/self/oom_score_adj || _score=0
_launch=$1
[ "$_launch" ] || IFS= read -r _launch || exit 0
. "$_launch"
# What is made from here on is for the agent alone; the body has a mask of its own.
umask 077
exec </dev/null >>"$7" 2>>"$8"
cd "$9" || exit 96
unset PWD OLDPWD

# Marks the attempt as started; fails when the record exists, so that a body can never start twice.
set -C
exec 3>"$1" || exit 97
set +C

# Room for the exit first, so that a full disk cannot lose it.
printf '%255s\n%s %.200s\n' '' "$2" "$_stat" >&3 || exit 98
# If that took long, an agent may have taken the mark away, see record.ts.
[ -s "$1" ] || exit 99

# From here on our own words go to the record: the shell's "Killed" tells a signal from an exit code above 128.
exec 4<>"$1" 5>&2 2>&3

# A signal to the group is for the body. A handler, as what is ignored would be ignored by the body too.
trap : HUP INT QUIT TERM USR1 USR2 ALRM

# An exclusive body must not outlive the agent's lease.
if [ "$5" ]; then (variables; exec /bin/sh "${0%/*}/guard.sh" "$5" "$6") >/dev/null 2>&1 3>&- 4>&- 5>&- & fi

(
  # The body alone joins its groups, so that running out of memory does not end the shim.
  for _group in $4; do echo 0 >"$_group/cgroup.procs" || exit 126; done
  # The agent may be dear to the kernel when memory is short; a step is not.
  [ "$_score" -ge 0 ] || echo 0 >/proc/self/oom_score_adj
  umask "$3"
  shift 9
  variables 2>/dev/null
  exec "$@" 2>&5 3>&- 4>&- 5>&-
)
printf '%-255s\n' "exit $?" >&4

# What the body left behind in its group ends with it, and so do we.
kill -KILL 0
