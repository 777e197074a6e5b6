import { parseScope } from "@reeve/model";
import { type AnyVerb, defineVerb, Usage } from "@reeve/sdk/cli";
import { type Context, contextNamed, withoutContext } from "../contexts/contexts.ts";
import type { CliDesk } from "../desk.ts";

const list = defineVerb<CliDesk>()({
  name: "context list",
  group: "access",
  summary: "List the servers you know",
  example: "reeve context list",
  async run(desk) {
    const { current, contexts } = desk.contexts.read();
    const all = Object.entries(contexts);
    if (await desk.data(all.map(([name, context]) => shown(name, context, current)))) return 0;
    if (desk.flags.output === "name") desk.out(all.map(([name]) => `${name}\n`).join(""));
    else if (all.length === 0) desk.say("no contexts; make one with: reeve login URL");
    else
      desk.table(
        ["Name", "URL", "User", "Scope", "Current"],
        all.map(([name, { url, user, scope }]) => [
          name,
          url,
          user ?? "-",
          scope ?? "-",
          name === current ? "yes" : "",
        ]),
      );
    return 0;
  },
});

const use = defineVerb<CliDesk>()({
  name: "context use",
  group: "access",
  summary: "Make a context the current one",
  args: [{ name: "NAME", completes: "context" }],
  example: "reeve context use production",
  async run(desk, { args: [name = ""] }) {
    contextNamed(desk.contexts.read(), name);
    desk.contexts.change((all) => ({ ...all, current: name }));
    desk.say(`the current context is ${name}`);
    return 0;
  },
});

const show = defineVerb<CliDesk>()({
  name: "context show",
  group: "access",
  summary: "Show a context, the current one by default; never its token",
  args: [{ name: "NAME", optional: true, completes: "context" }],
  example: "reeve context show",
  async run(desk, { args: [given] }) {
    const all = desk.contexts.read();
    const name = given ?? currentName(desk);
    const view = shown(name, contextNamed(all, name), all.current);
    if (await desk.data(view)) return 0;
    for (const [key, value] of Object.entries(view)) desk.out(`${key}: ${value}\n`);
    return 0;
  },
});

const remove = defineVerb<CliDesk>()({
  name: "context delete",
  group: "access",
  summary: "Forget a context; sign out first to end its session",
  args: [{ name: "NAME", completes: "context" }],
  example: "reeve context delete old",
  async run(desk, { args: [name = ""] }) {
    contextNamed(desk.contexts.read(), name);
    desk.contexts.change((all) => withoutContext(all, name));
    desk.say(`context ${name} is forgotten`);
    return 0;
  },
});

const setScope = defineVerb<CliDesk>()({
  name: "context set-scope",
  group: "access",
  summary: 'Work in this scope unless told otherwise; "" is the installation',
  args: [{ name: "SCOPE", completes: "scope" }],
  example: "reeve context set-scope acme/shop",
  async run(desk, { args: [text = ""] }) {
    const scope = parseScope(text);
    const name = currentName(desk);
    contextNamed(desk.contexts.read(), name);
    desk.contexts.change((all) => {
      const { scope: _before, ...rest } = contextNamed(all, name);
      const next = scope === "" ? rest : { ...rest, scope };
      return { ...all, contexts: { ...all.contexts, [name]: next } };
    });
    desk.say(`${name} now works in ${scope === "" ? "the installation" : scope}`);
    return 0;
  },
});

export const contextVerbs: readonly AnyVerb<CliDesk>[] = [list, use, show, remove, setScope];

function currentName(desk: CliDesk): string {
  const name = desk.flags.context ?? desk.environment.context ?? desk.contexts.read().current;
  if (name === undefined)
    throw new Usage("there is no current context", "reeve login URL, or reeve context use NAME");
  return name;
}

function shown(
  name: string,
  { url, user, scope, expiresAt, ca, token }: Context,
  current: string | undefined,
) {
  return {
    name,
    url,
    ...(user === undefined ? {} : { user }),
    scope: scope ?? "",
    signedIn: token !== undefined,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    pinned: ca !== undefined,
    current: name === current,
  };
}
