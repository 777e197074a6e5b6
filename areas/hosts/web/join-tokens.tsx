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
  { key: "used", title: "Used", cell: ({ spec, status }) => `${status.used ?? 0} of ${spec.uses}` },
  {
    key: "expires",
    title: "Expires",
    cell: ({ status }) => <Age at={status.expiresAt} fallback="not issued" />,
  },
  { key: "hosts", title: "Joined", wide: true, cell: ({ status }) => status.hosts?.join(", ") },
  { key: "delete", title: "", cell: (token) => <Withdraw token={token} /> },
];

function Works({ token: { spec, status } }: { readonly token: TokenResource }) {
  const now = useNow();
  if ((status.used ?? 0) >= spec.uses) return <StateBadge state="disabled" word="used up" />;
  const expired = status.expiresAt !== undefined && Date.parse(status.expiresAt) <= now;
  return expired ? <StateBadge state="expired" /> : <StateBadge state="ready" word="works" />;
}

function Withdraw({ token: { metadata } }: { readonly token: TokenResource }) {
  const { scope, name } = metadata;
  const can = useCan({ verb: "delete", kind: "JoinToken", scope, name });
  return (
    <ActionButton
      label="Withdraw"
      why={can.reason}
      run={(key) => client.kind(tokens).delete(scope, name, key)}
      done={`The join token ${name} works no more.`}
    />
  );
}
