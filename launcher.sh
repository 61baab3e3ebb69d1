#!/bin/sh
# Puts the command `auditlake` into BINDIR, or takes it away again: `make install`, `make uninstall`.
# It names this Node and this checkout by absolute paths, so that cron and other folders find both.
set -eu
action=$1
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mark='# Made by make install of auditlake.'

fail() {
  echo "error: $1" >&2
  exit 1
}

# A word for a shell, whatever is in it.
quoted() {
  printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

is_ours() {
  [ -f "$command" ] && [ "$(sed -n 2p "$command")" = "$mark" ]
}

[ -n "${BINDIR:-}" ] || fail 'no BINDIR; expected a folder such as ~/.local/bin'
case $BINDIR in /*) ;; *) BINDIR=$here/$BINDIR ;; esac
command=$BINDIR/auditlake
if [ -e "$command" ] || [ -L "$command" ]; then
  is_ours || fail "$command is there already and not from make install; move it aside, or choose another BINDIR"
fi

if [ "$action" = uninstall ]; then
  if [ -e "$command" ]; then rm -- "$command" && echo "removed $command"; else echo "there is no $command"; fi
  exit 0
fi

node=$(node -p process.execPath)
program=$here/dist/pipeline/bin.js
mkdir -p -- "$BINDIR" 2> /dev/null || fail "cannot make the folder $BINDIR; choose another BINDIR"
[ -w "$BINDIR" ] || fail "cannot write to the folder $BINDIR; choose another BINDIR"
draft=$command.$$
trap 'rm -f -- "$draft"' EXIT
cat > "$draft" <<END
#!/bin/sh
$mark
node=$(quoted "$node")
program=$(quoted "$program")
if [ ! -x "\$node" ] || [ ! -f "\$program" ]; then
  echo "error: \$node or \$program is gone; run make install in "$(quoted "$here")" again" >&2
  exit 1
fi
exec "\$node" "\$program" "\$@"
END
chmod 755 "$draft"
mv -f -- "$draft" "$command"
echo "installed $command, which runs $program with $node"
case ":$PATH:" in
  *":$BINDIR:"*) echo "$BINDIR is on the PATH: call it auditlake" ;;
  *) echo "$BINDIR is not on the PATH: add it there, or call $command" ;;
esac
