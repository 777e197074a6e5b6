#!/bin/sh
# Installs the Reeve agent @VERSION@ on this machine, from the control plane that serves this file:
#   curl -fsS @BASE@/agent/install.sh | sh -s -- --token TOKEN
# Run again without --token it brings an installed agent to this version. Everything it downloads is checked by its SHA-256.
set -eu

base='@BASE@'
url='@AGENTS@'
token= name= labels= bearer= ca= cacert= prefix= root=
die() { echo "install.sh: $*" >&2; exit 1; }

while [ $# -gt 0 ]; do
  case $1 in
    --token | --name | --label | --url | --ca | --cacert | --prefix)
      [ $# -ge 2 ] || die "$1 needs a value" ;;
  esac
  case $1 in
    --token) token=$2; shift 2 ;;
    --name) name=$2; shift 2 ;;
    --label) labels="$labels --label $2"; shift 2 ;;
    --url) url=$2; shift 2 ;;
    --bearer) bearer=--bearer; shift ;;
    --ca) ca=$2; shift 2 ;;
    --cacert) cacert=$2; shift 2 ;;
    --prefix) prefix=${2%/}; shift 2 ;;
    --root) root=yes; shift ;;
    --help)
      cat <<'HELP'
--token TOKEN      joins with this token (`reeve agent token` makes one); without it, only the files are renewed
--name NAME        the host's name (default: this machine's)
--label KEY=VALUE  a label of the host; may be repeated
--url URL          the address of the control plane's agents' port, where it is not the usual one
--bearer, --ca F   a proxy ends TLS before the agents' port; F is the authority of its certificate
--cacert FILE      the authority of the certificate of the control plane's own address, for the downloads
--root             runs the agent as root, for steps that name a user or change the machine
--prefix DIR       puts everything below DIR, makes no user and touches no systemd
HELP
      exit 0 ;;
    *) die "$1 is not an option; --help tells them" ;;
  esac
done

lib=$prefix/usr/local/lib/reeve-agent
data=$prefix/var/lib/reeve-agent
units=$prefix/etc/systemd/system
# Renewed, it stays whose it was: its folder is that user's.
[ -n "$token" ] || [ ! -e "$units/reeve-agent.service.d/root.conf" ] || root=yes
[ -n "$token" ] || [ -e "$data/identity.json" ] || die "--token is missing: \`reeve agent token\` makes one"
[ -n "$prefix" ] || [ "$(id -u)" = 0 ] || die "run it as root, or with --prefix DIR to install for yourself"
[ "$(uname -s)" = Linux ] || die "the agent runs on Linux; this is $(uname -s)"

if command -v curl >/dev/null; then
  fetch() { curl -fsS ${cacert:+--cacert "$cacert"} -o "$2" "$base/agent/files/$1"; }
elif command -v wget >/dev/null; then
  fetch() { wget -q ${cacert:+--ca-certificate="$cacert"} -O "$2" "$base/agent/files/$1"; }
else
  die "curl or wget is needed for the downloads"
fi

mkdir -p "$lib"
new=$(mktemp -d "$lib/new.XXXXXX")
trap 'rm -rf "$new"' EXIT

cat >"$new/checksums" <<'CHECKSUMS'
@CHECKSUMS@
CHECKSUMS
case $(uname -m) in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) arch=$(uname -m) ;; esac
if [ "linux-$arch" = '@NODE_PLATFORM@' ]; then
  echo '@NODE_SHA256@  node' >>"$new/checksums"
elif own=$(command -v node) && "$own" -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 24 || (a == 24 && b >= 7) ? 0 : 1)'; then
  ln -s "$own" "$new/node"
else
  die "the control plane has Node for @NODE_PLATFORM@ only: install Node 24.7 or later for linux-$arch first, then run this again"
fi
while read -r _ file; do fetch "$file" "$new/$file"; done <"$new/checksums"
(cd "$new" && sha256sum --quiet -c checksums) || die "a download is damaged; nothing was changed"
chmod 755 "$new" "$new/node"
mkdir -p "$data" "$units" "$prefix/usr/local/bin"
for file in "$new"/*; do mv -f "$file" "$lib/"; done
cat >"$prefix/usr/local/bin/reeve-agent" <<COMMAND
#!/bin/sh
exec "$lib/node" "$lib/reeve-agent.mjs" "\$@"
COMMAND
chmod 755 "$prefix/usr/local/bin/reeve-agent" "$lib"

user=
if [ -z "$prefix" ] && [ -z "$root" ]; then
  user=reeve-agent
  id "$user" >/dev/null 2>&1 || useradd --system --home-dir "$data" --shell /usr/sbin/nologin "$user"
  chown "$user:" "$data"
fi
as_agent() { if [ -n "$user" ]; then setpriv --reuid "$user" --regid "$user" --init-groups -- "$@"; else "$@"; fi; }

systemd=
if [ -z "$prefix" ] && [ -d /run/systemd/system ]; then
  systemd=yes
  [ -z "$token" ] || systemctl stop reeve-agent 2>/dev/null || true
fi
if [ -n "$token" ]; then
  # shellcheck disable=SC2086 # labels have no spaces
  printf '%s' "$token" | as_agent "$lib/node" "$lib/reeve-agent.mjs" join "$url" --token - --data "$data" \
    ${name:+--name "$name"} $labels $bearer ${ca:+--ca "$ca"}
fi

sed -e "s|@LIB@|$lib|g" -e "s|@DATA@|$data|g" "$lib/reeve-agent.service" >"$units/reeve-agent.service"
if [ -n "$root" ]; then
  mkdir -p "$units/reeve-agent.service.d"
  cp "$lib/root.conf" "$units/reeve-agent.service.d/root.conf"
else
  rm -f "$units/reeve-agent.service.d/root.conf"
fi
if [ -n "$systemd" ]; then
  systemctl daemon-reload
  systemctl enable --quiet reeve-agent
  systemctl restart reeve-agent
  echo "the agent is running; see it with: systemctl status reeve-agent"
else
  echo "installed; this machine has no systemd to start it, so have it started by what you use instead:"
  echo "  $lib/node --max-semi-space-size=4 $lib/reeve-agent.mjs run --data $data"
fi
