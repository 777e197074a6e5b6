import {
  ActionButton,
  Age,
  type Column,
  client,
  DataTable,
  paths,
  Section,
  StateBadge,
  useCan,
  useList,
  useNow,
} from "@reeve/kit";
import type { ResourceOf, Scope } from "@reeve/model";
import type { JoinToken } from "../kinds/index.ts";

type TokenResource = ResourceOf<typeof JoinToken>;

const tokens = { name: "JoinToken", plural: "jointokens" };

/** What new agents may still join with; nothing at all when there is none. */
export function JoinTokens({ scope }: { readonly scope: Scope }) {
  const list = useList<TokenResource>(tokens, scope);
  if (list.rows.length === 0) return null;
  return (
    <Section title="Join tokens" lead="Each is removed a day after it stops working.">
      <DataTable
        label="Join tokens"
        list={list}
        columns={columns}
        rowKey={({ metadata }) => metadata.uid}
        to={({ metadata }) => paths.resource(tokens, metadata.scope, metadata.name)}
        empty={null}
      />
    </Section>
  );
}

const columns: readonly Column<TokenResource>[] = [
  {
    key: "token",
    title: "Name",
    cell: ({ metadata }) => metadata.name,
    sort: ({ metadata }) => metadata.name,
  },
  { key: "works", title: "State", cell: (token) => <Works token={token} /> },
  {
    key: "used",
    title: "Used",
    wide: true,
    cell: ({ spec, status }) => `${status.used ?? 0} of ${spec.uses}`,
  },
  {
    key: "expires",
    title: "Expires",
    wide: true,
    cell: ({ status }) => status.expiresAt && <Age at={status.expiresAt} />,
  },
  { key: "hosts", title: "Joined", wide: true, cell: ({ status }) => status.hosts?.join(", ") },
  { key: "delete", title: "", align: "right", cell: (token) => <Withdraw token={token} /> },
];

function Works({ token }: { readonly token: TokenResource }) {
  const over = useOver(token);
  if (token.status.issuedAt === undefined) return <StateBadge state="waiting" word="not issued" />;
  if (over === "used up") return <StateBadge state="disabled" word={over} />;
  return over === "expired" ? <StateBadge state={over} /> : <StateBadge state="ready" word="works" />;
}

/** Why nobody joins with it any more. */
function useOver({ spec, status }: TokenResource): "used up" | "expired" | undefined {
  const now = useNow();
  if ((status.used ?? 0) >= spec.uses) return "used up";
  return status.expiresAt !== undefined && Date.parse(status.expiresAt) <= now ? "expired" : undefined;
}

function Withdraw({ token }: { readonly token: TokenResource }) {
  const { scope, name } = token.metadata;
  const over = useOver(token);
  const can = useCan({ verb: "delete", kind: "JoinToken", scope, name });
  return (
    <ActionButton
      label="Withdraw"
      size="xs"
      why={over === undefined ? can.reason : `it is ${over}, and goes by itself`}
      run={(key) => client.kind(tokens).delete(scope, name, key)}
      done={`The join token ${name} works no more.`}
    />
  );
}
