import type { installationPermissions, RunVerb } from "@reeve/model";
import { defineVerb } from "@reeve/sdk/cli";

const beside: Record<(typeof installationPermissions)[number] | `runs:${RunVerb}`, string> = {
  "runs:read": "see runs, their steps and events",
  "runs:logs": "read what their steps wrote",
  "runs:cancel": "cancel runs",
  "runs:pause": "hold runs back",
  "runs:resume": "let paused runs go on",
  "runs:retry": "do runs over",
  "runs:skip": "leave steps out",
  "runs:approve": "approve or reject steps that wait for it",
  "runs:decide": "say what became of a lost attempt",
  "installation:debug": "see the inside of the server",
  "installation:metrics": "read the server's metrics",
  "installation:keys": "see and rotate the keys",
  "access:explain": "ask what others may do",
  "audit:read": "read the audit log",
  "terminals:replay": "replay what terminals have shown, where it is recorded",
};

export const permissions = defineVerb()({
  name: "auth permissions",
  group: "access",
  summary: "List every permission that a role can give",
  args: [{ name: "KIND", optional: true, completes: "kind" }],
  example: "reeve auth permissions tokens",
  async run(desk, { args: [word] }) {
    const client = await desk.client();
    const kinds = word === undefined ? await client.kinds() : [await client.find(word)];
    const ofKinds = kinds.flatMap((kind) =>
      kind.permissions.map((permission) => {
        const verb = permission.slice(kind.plural.length + 1);
        return { permission, does: kind.actions[verb]?.summary ?? `${verb} ${kind.plural}` };
      }),
    );
    const others = word === undefined ? Object.entries(beside) : [];
    const items = [...ofKinds, ...others.map(([permission, does]) => ({ permission, does }))];
    if (await desk.data({ items })) return 0;
    desk.table(
      ["Permission", "Allows to"],
      items.map(({ permission, does }) => [permission, does]),
    );
    return 0;
  },
});
