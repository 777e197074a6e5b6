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
  StateBadge,
  useCan,
  useList,
  useNow,
  useQuery,
  useScope,
} from "@reeve/kit";
import type { ResourceOf } from "@reeve/model";
import { IconPlus } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { Invitation } from "../../kinds/index.ts";
import { Invite } from "./invite.tsx";

type InvitationResource = ResourceOf<typeof Invitation>;

/** Who was asked in, and whether they came. */
export default function InvitationsPage() {
  const scope = useScope();
  const [{ invite }, setQuery] = useQuery();
  const list = useList<InvitationResource>(Invitation, scope);
  const [link, setLink] = useState<string>();
  const columns = useMemo(() => columnsOf(setLink), []);
  const can = useCan({ verb: "issue", kind: "Invitation", scope });
  const why =
    scope === "" || scope.split("/").length > 2
      ? "choose an organization or a project first: people are asked in to one of these"
      : can.reason;
  const button = (
    <ReasonedButton
      label="Invite somebody"
      icon={<IconPlus size={14} />}
      variant="filled"
      why={why}
      onClick={() => setQuery({ invite: "yes" })}
    />
  );
  return (
    <>
      <PageHeader
        title="Invitations"
        lead="A link for one e-mail address. Who accepts it makes a user of their own, or uses theirs, and holds the role here."
        actions={button}
      />
      <DataTable
        label="Invitations"
        list={list}
        columns={columns}
        rowKey={({ metadata }) => metadata.uid}
        to={({ metadata }) => paths.resource(Invitation, metadata.scope, metadata.name)}
        empty={
          <EmptyState
            title="Nobody is asked in"
            action={button}
            command="reeve invite grace@example.com --role editor"
          >
            An invitation is how people come to an organization or a project without anybody knowing their
            password.
          </EmptyState>
        }
      />
      {invite !== undefined && why === undefined && (
        <Invite
          scope={scope}
          onClose={() => setQuery({ invite: undefined })}
          onIssued={(text) => {
            setQuery({ invite: undefined });
            setLink(text);
          }}
        />
      )}
      <ShownOnce title="The invitation" text={link} onClose={() => setLink(undefined)}>
        Send this link to the person. It works once, and for their address only.
      </ShownOnce>
    </>
  );
}

function columnsOf(onIssued: (link: string) => void): readonly Column<InvitationResource>[] {
  return [
    {
      key: "name",
      title: "Name",
      cell: ({ metadata }) => metadata.name,
      sort: ({ metadata }) => metadata.name,
    },
    { key: "email", title: "E-mail", cell: ({ spec }) => spec.email, sort: ({ spec }) => spec.email },
    { key: "role", title: "Role", cell: ({ spec }) => spec.role, sort: ({ spec }) => spec.role },
    { key: "scope", title: "In", wide: true, cell: ({ metadata }) => metadata.scope },
    { key: "state", title: "State", cell: (invitation) => <InvitationState invitation={invitation} /> },
    {
      key: "again",
      title: "",
      wide: true,
      align: "right",
      cell: (invitation) => <IssueAgain invitation={invitation} onIssued={onIssued} />,
    },
  ];
}

function InvitationState({ invitation: { status } }: { readonly invitation: InvitationResource }) {
  const now = useNow();
  if (status.acceptedBy !== undefined)
    return <StateBadge state="accepted" word={`accepted by ${status.acceptedBy}`} />;
  if (status.expiresAt === undefined) return <StateBadge state="unknown" word="not issued" />;
  if (Date.parse(status.expiresAt) <= now) return <StateBadge state="expired" />;
  return (
    <>
      <StateBadge state="pending" word="open" /> until <Age at={status.expiresAt} />
    </>
  );
}

interface IssueProps {
  readonly invitation: InvitationResource;
  readonly onIssued: (link: string) => void;
}

function IssueAgain({ invitation, onIssued }: IssueProps) {
  const { scope, name } = invitation.metadata;
  const can = useCan({ verb: "issue", kind: "Invitation", scope, name });
  const verdict = Invitation.actions?.issue?.can(invitation);
  return (
    <ActionButton
      label="New link"
      why={verdict?.yes === false ? verdict.why : can.reason}
      confirm={{
        title: `Make a new link for ${invitation.spec.email}?`,
        text: "The one before stops working.",
      }}
      run={(key) => client.kind(Invitation).act<{ link: string }>(scope, name, "issue", {}, key)}
      onDone={({ link }) => onIssued(link)}
    />
  );
}
