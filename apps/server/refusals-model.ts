import type { Kind, Scope } from "@reeve/model";

/** What the generated refusal test expects. Written by hand, so that a mistake in the derived roles cannot hide in it. */
export interface Asker {
  readonly name: string;
  readonly token: string | null;
  readonly grant?: { readonly role: keyof typeof rolesByHand; readonly scope: Scope };
}

export const anybody: Asker = { name: "anonymous", token: null };

export interface Place {
  readonly kind: Kind;
  readonly scope: Scope;
  readonly name: string;
}

export interface Deed {
  readonly deed:
    | "list"
    | "deep list"
    | "watch"
    | "create"
    | "get"
    | "apply"
    | "patch"
    | "delete"
    | "diff"
    | "history"
    | "rollback"
    | "events"
    | "why"
    | "act"
    | "part";
  /** Of `act` the action, of `part` what is asked for below the resource's address. */
  readonly action?: string;
}

export type Verdict =
  | { readonly kind: "allowed" }
  | { readonly kind: "anonymous" }
  | { readonly kind: "forbidden"; readonly says: string }
  | { readonly kind: "hidden" };

const all = "read create update delete";
export const rolesByHand = {
  owner: {
    organizations: all,
    projects: all,
    workspaces: all,
    quotas: all,
    users: `${all} set-password end-sessions reset-factors`,
    serviceaccounts: all,
    groups: all,
    roles: all,
    rolebindings: all,
    invitations: `${all} issue`,
    tokens: `${all} issue`,
    identityproviders: `${all} set-secret`,
    trustedissuers: all,
    secrets: `${all} set rollback reveal`,
    connections: all,
    backups: `${all} verify`,
    hosts: `${all} revoke shell`,
    jointokens: `${all} issue`,
    channels: `${all} test retry`,
    workflows: `${all} trigger trigger-many backfill`,
    sources: `${all} sync`,
    services: `${all} logs exec deploy stop start restart pull container`,
    repositories: `${all} files fetch write`,
  },
  editor: {
    organizations: "read",
    projects: "read create update",
    workspaces: "read create update",
    quotas: "read",
    users: "read",
    serviceaccounts: all,
    groups: "read",
    roles: "read",
    rolebindings: "read",
    invitations: "read",
    tokens: "read",
    identityproviders: "read",
    trustedissuers: "read",
    secrets: `${all} set rollback`,
    connections: all,
    backups: "read",
    hosts: "read create update",
    jointokens: "read",
    channels: `${all} test retry`,
    workflows: `${all} trigger trigger-many backfill`,
    sources: `${all} sync`,
    services: `${all} logs exec deploy stop start restart pull container`,
    repositories: `${all} files fetch write`,
  },
  viewer: {
    organizations: "read",
    projects: "read",
    workspaces: "read",
    quotas: "read",
    users: "read",
    serviceaccounts: "read",
    groups: "read",
    roles: "read",
    rolebindings: "read",
    invitations: "read",
    tokens: "read",
    identityproviders: "read",
    trustedissuers: "read",
    secrets: "read",
    connections: "read",
    backups: "read",
    hosts: "read",
    jointokens: "read",
    channels: "read",
    workflows: "read",
    sources: "read",
    services: "read logs",
    repositories: "read files",
  },
  auditor: {
    organizations: "read",
    projects: "read",
    workspaces: "read",
    quotas: "read",
    users: "read",
    serviceaccounts: "read",
    groups: "read",
    roles: "read",
    rolebindings: "read",
    invitations: "read",
    tokens: "read",
    identityproviders: "read",
    trustedissuers: "read",
    secrets: "read",
    connections: "read",
    backups: "read",
    hosts: "read",
    jointokens: "read",
    channels: "read",
    workflows: "read",
    sources: "read",
    services: "read logs",
    repositories: "read files",
  },
  /** A custom role: what it lists, and nothing else. */
  deployer: {
    organizations: "",
    projects: "",
    workspaces: "read update",
    users: "",
    serviceaccounts: "read create",
    groups: "read",
    roles: "",
    rolebindings: "",
    invitations: "",
    tokens: "",
    quotas: "",
    identityproviders: "",
    trustedissuers: "",
    secrets: "",
    connections: "",
    backups: "",
    hosts: "",
    jointokens: "",
    channels: "",
    workflows: "",
    sources: "",
    services: "",
    repositories: "",
  },
} as const satisfies Record<string, Record<string, string>>;

/** What there is below the addresses of a kind beside what every kind has, and the verb that it takes. */
export const partsByHand: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  services: { "GET logs": "logs", "GET difference": "read" },
  repositories: { "GET tree": "files", "GET file": "files" },
  hosts: {
    "GET storage": "read",
    "GET compose-projects": "read",
    "GET compose-projects/{compose}": "update",
    "POST prune": "update",
  },
};

/** Kinds of which people see their own without a role. */
const haveOwn = ["users", "tokens"];

export function verdictOn(asker: Asker, { deed, action, kind, scope, name }: Deed & Place): Verdict {
  if (asker.token === null) return { kind: "anonymous" };
  const inside = kind.opensScope ? (scope === "" ? name : `${scope}/${name}`) : scope;
  // Nobody lifts the limits of their own scope.
  const above = scope.split("/").slice(0, -1).join("/");
  const [makes, alters] = kind.plural === "quotas" ? [above, above] : [scope, inside];
  const may = (verb: string, where: Scope) =>
    asker.grant !== undefined &&
    within(asker.grant.scope, where) &&
    (rolesByHand[asker.grant.role] as Record<string, string>)[kind.plural]?.split(" ").includes(verb) ===
      true;
  const knows = (where: Scope) =>
    asker.grant !== undefined && (within(asker.grant.scope, where) || within(where, asker.grant.scope));
  const opens = asker.grant !== undefined && within(inside, asker.grant.scope);
  const reads = may("read", inside) || (kind.opensScope === true && opens);
  const refuse = (verb: string): Verdict => ({ kind: "forbidden", says: `${kind.plural}:${verb}` });
  const creates = (): Verdict =>
    may("create", makes) ? { kind: "allowed" } : knows(scope) ? refuse("create") : { kind: "hidden" };
  const changes = (verb: string): Verdict =>
    may(verb, alters) ? { kind: "allowed" } : reads ? refuse(verb) : { kind: "hidden" };

  switch (deed) {
    case "list":
    case "watch":
    case "deep list":
      if (may("read", scope) || haveOwn.includes(kind.plural)) return { kind: "allowed" };
      if (kind.opensScope && (scope === "" || knows(scope))) return { kind: "allowed" };
      if (
        deed === "deep list" &&
        asker.grant !== undefined &&
        within(scope, asker.grant.scope) &&
        may("read", asker.grant.scope)
      )
        return { kind: "allowed" };
      return knows(scope) ? refuse("read") : { kind: "hidden" };
    case "create":
      return creates();
    case "get":
    case "history":
    case "events":
    case "why":
      return reads ? { kind: "allowed" } : { kind: "hidden" };
    case "apply":
    case "diff":
      // What one cannot see is refused as if one tried to make it: the answer must not tell that it is there.
      return may("update", alters) ? { kind: "allowed" } : reads ? refuse("update") : creates();
    case "patch":
    case "rollback":
      return changes("update");
    case "delete":
      return changes("delete");
    case "part": {
      const verb = partsByHand[kind.plural]?.[action as string] as string;
      if (verb === "read") return reads ? { kind: "allowed" } : { kind: "hidden" };
      return changes(verb);
    }
    case "act": {
      const verdict = changes(action as string);
      // A person's token is issued by that person alone, whatever roles others hold.
      const personal = kind.plural === "tokens" && scope === "" && verdict.kind === "allowed";
      return personal ? { kind: "forbidden", says: "only a user can issue its own tokens" } : verdict;
    }
  }
}

/** Whether `inner` is `outer` or lies in it. */
function within(outer: Scope, inner: Scope): boolean {
  return outer === "" || outer === inner || inner.startsWith(`${outer}/`);
}
