import { type Scope, showScope } from "@reeve/model";
import type { CliKind, Desk } from "@reeve/sdk/cli";

/** An empty list says how to fill it; on stderr, so that a script still reads an empty list. */
export function teachEmpty(desk: Desk, kind: CliKind, scope: Scope): void {
  const { labels, fields, deep } = desk.flags;
  const place = scope === "" && !deep ? "" : ` in ${showScope(scope)}${deep ? " or below" : ""}`;
  if (labels !== undefined || fields !== undefined) {
    desk.say(`no ${kind.plural}${place} match`);
    return;
  }
  desk.say(`no ${kind.plural}${place}; make one with:\n`);
  desk.say(`reeve apply -f - <<'END'\n${kind.example.trimEnd()}\nEND`);
}
