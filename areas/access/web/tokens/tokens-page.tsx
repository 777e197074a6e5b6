import {
  ActionButton,
  Age,
  type Column,
  client,
  DataTable,
  EmptyState,
  PageHeader,
  paths,
  ReasonedButton,
  ShownOnce,
  useCan,
  useList,
  useQuery,
  useScope,
} from "@reeve/kit";
import { type ResourceOf, showSubject } from "@reeve/model";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import type { Token } from "../../kinds/index.ts";
import { NewToken } from "./new-token.tsx";

type TokenResource = ResourceOf<typeof Token>;

const tokens = { name: "Token", plural: "tokens" };

/** Credentials for the API. Everybody manages their own; those of service accounts live where the account does. */
export default function TokensPage() {
  const scope = useScope();
  const [{ make }, setQuery] = useQuery();
  const list = useList<TokenResource>(tokens, scope);
  const [secret, setSecret] = useState<string>();
  const button = (
    <ReasonedButton
      label="New token"
      icon={<IconPlus size={14} />}
      variant="filled"
      onClick={() => setQuery({ make: "yes" })}
    />
  );
  return (
    <>
      <PageHeader
        title="Tokens"
        lead="Credentials for programs and for the command line. A token's secret is shown once, when it is issued."
        actions={button}
      />
      <DataTable
        label="Tokens"
        list={list}
        columns={columns}
        rowKey={({ metadata }) => metadata.uid}
        to={({ metadata }) => paths.resource(tokens, metadata.scope, metadata.name)}
        empty={
          <EmptyState title="No token yet" action={button} command="reeve token create laptop">
            A token lets a program do what its user or service account may do, or less, until it expires or is
            deleted.
          </EmptyState>
        }
      />
      {make !== undefined && (
        <NewToken
          scope={scope}
          onClose={() => setQuery({ make: undefined })}
          onIssued={(text) => {
            setQuery({ make: undefined });
            setSecret(text);
          }}
        />
      )}
      <ShownOnce title="The new token" text={secret} onClose={() => setSecret(undefined)}>
        Give it to the program that needs it, for example as <code>REEVE_TOKEN</code>.
      </ShownOnce>
    </>
  );
}

const columns: readonly Column<TokenResource>[] = [
  {
    key: "name",
    title: "Name",
    cell: ({ metadata }) => metadata.name,
    sort: ({ metadata }) => metadata.name,
  },
  { key: "of", title: "Of", cell: subjectOf, sort: subjectOf },
  {
    key: "within",
    title: "Within",
    wide: true,
    cell: ({ spec }) => spec.within,
    sort: ({ spec }) => spec.within,
  },
  { key: "allows", title: "Allows", wide: true, cell: allowed },
  {
    key: "used",
    title: "Last used",
    wide: true,
    cell: ({ status }) => <Age at={status.lastUsedAt} />,
    sort: ({ status }) => status.lastUsedAt,
  },
  {
    key: "expires",
    title: "Expires",
    cell: ({ spec }) => <Age at={spec.expiresAt} />,
    sort: ({ spec }) => spec.expiresAt,
  },
  {
    key: "issued",
    title: "Issued",
    wide: true,
    cell: ({ status }) => <Age at={status.issuedAt} fallback="not yet" />,
    sort: ({ status }) => status.issuedAt,
  },
  { key: "description", title: "Description", wide: true, cell: ({ spec }) => spec.description },
  { key: "delete", title: "", align: "right", cell: (token) => <Withdraw token={token} /> },
];

function subjectOf({ metadata, spec: { subject } }: TokenResource): string {
  return showSubject({ ...subject, scope: subject.kind === "User" ? "" : (subject.scope ?? metadata.scope) });
}

function allowed({ spec: { allows } }: TokenResource): string | undefined {
  const [first, ...others] = allows ?? [];
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

function Withdraw({ token }: { readonly token: TokenResource }) {
  const { scope, name } = token.metadata;
  const can = useCan({ verb: "delete", kind: "Token", scope, name });
  return (
    <ActionButton
      label="Delete"
      why={can.reason}
      confirm={{
        title: `Delete the token ${name}?`,
        text: "Whatever uses it can do nothing any more, at once.",
        danger: true,
      }}
      run={(key) => client.kind(tokens).delete(scope, name, key)}
      done={`The token ${name} works no more.`}
    />
  );
}
