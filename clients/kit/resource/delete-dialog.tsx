import { Checkbox, List, Loader, Text, TextInput } from "@mantine/core";
import { type Resource, showScope } from "@reeve/model";
import type { CallFault, KindInfo, Why } from "@reeve/sdk";
import { useState } from "react";
import { asFault, client } from "../client.ts";
import { FaultView } from "../ui/fault-view.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useLoaded } from "../use-loaded.ts";
import { AddressLink } from "./address-link.tsx";

interface Props {
  readonly kind: KindInfo;
  readonly resource: Resource;
  readonly means: string | undefined;
  readonly onClose: () => void;
  readonly onDone: (gone: boolean) => void;
}

/** What would happen: asked of the server before anybody decides. */
interface Outlook {
  readonly why: Why;
  readonly refusal: CallFault | undefined;
}

export function DeleteDialog({ kind, resource, means, onClose, onDone }: Props) {
  const { scope, name, revision } = resource.metadata;
  const things = client.kind(kind);
  const { value, fault } = useLoaded<Outlook>(String(revision), async (signal) => ({
    why: await things.why(scope, name, { signal }),
    refusal: await things.delete(scope, name, { dryRun: true, signal }).then(() => undefined, asFault),
  }));
  const [typed, setTyped] = useState("");
  const [force, setForce] = useState(false);
  const takesMore = (value?.why.goesWith ?? []).length > 0;
  const refused = value?.refusal !== undefined && !force;
  return (
    <FormDialog
      title={`Delete ${kind.name} ${name}?`}
      size="lg"
      action="Delete"
      danger
      held={value === undefined || refused || ((takesMore || force) && typed !== name)}
      run={(key) => things.delete(scope, name, { ...key, ...(force && { force }) })}
      done={({ gone }) => (gone ? `${name} is deleted` : `${name} is being deleted`)}
      onDone={({ gone }) => {
        onClose();
        onDone(gone);
      }}
      onClose={onClose}
    >
      {value === undefined && fault === undefined && (
        <Loader size="sm" aria-label="Asking what depends on it" />
      )}
      {fault && <FaultView fault={fault} />}
      {means && <Text size="sm">{means}</Text>}
      {value && <Consequences why={value.why} ending={endingOf(resource, means)} />}
      {value?.refusal && <FaultView fault={value.refusal} />}
      {value?.refusal?.kind === "precondition" && (
        <Checkbox
          checked={force}
          onChange={({ currentTarget }) => setForce(currentTarget.checked)}
          label="Delete it all the same"
          description="What needs it will fail when it does; what it stands for outside may be left behind."
        />
      )}
      {(takesMore || force) && (
        <TextInput
          label={`Type ${name} to go on`}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          autoComplete="off"
          classNames={{ input: "mono" }}
        />
      )}
    </FormDialog>
  );
}

function endingOf({ metadata }: Resource, means: string | undefined): string {
  return means === undefined ? ` It is gone from ${showScope(metadata.scope)} at once.` : "";
}

function Consequences({
  why: { goesWith, owned, usedBy },
  ending,
}: {
  readonly why: Why;
  readonly ending: string;
}) {
  if (goesWith.length === 0 && usedBy.length === 0)
    return <Text size="sm">Nothing belongs to it and nothing uses it.{ending}</Text>;
  return (
    <>
      {goesWith.length > 0 && (
        <div>
          <Text size="sm" fw={500}>
            This goes with it: {goesWith.map(({ kind, count }) => `${count} ${kind}`).join(", ")}.
          </Text>
          <List size="sm" mt={4}>
            {owned.slice(0, 10).map((at) => (
              <List.Item key={`${at.kind} ${at.scope} ${at.name}`}>
                <AddressLink at={at} />
              </List.Item>
            ))}
          </List>
        </div>
      )}
      {usedBy.length > 0 && (
        <div>
          <Text size="sm" fw={500}>
            This cannot do without it:
          </Text>
          <List size="sm" mt={4}>
            {usedBy.slice(0, 10).map((use) => (
              <List.Item key={`${use.kind} ${use.scope} ${use.name} ${use.pointer}`}>
                <AddressLink at={use} />{" "}
                <Text span size="xs" c="dimmed" className="mono">
                  {use.pointer}
                </Text>
              </List.Item>
            ))}
          </List>
        </div>
      )}
    </>
  );
}
