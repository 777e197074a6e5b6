import { Alert, Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { isObject, type Json, type JsonObject, type Resource, type Scope } from "@reeve/model";
import { toYaml } from "@reeve/model/yaml";
import type { KindInfo } from "@reeve/sdk";
import { type ReactNode, useState } from "react";
import { useKinds } from "../../me.ts";
import { ReasonedButton } from "../../ui/action-button.tsx";
import { FaultView } from "../../ui/fault-view.tsx";
import { namesAround } from "../../ui/form/names.ts";
import { YamlEditor } from "../../ui/yaml/yaml-editor.tsx";
import { writable } from "../writable.ts";
import { placeText } from "./checks.ts";
import { DraftForm } from "./draft-form.tsx";
import { ReviewDialog } from "./review-dialog.tsx";
import { type DraftState, useDraft } from "./use-draft.ts";
import { useLeaveGuard } from "./use-leave-guard.ts";

interface Props {
  readonly kind: KindInfo;
  readonly scope: Scope;
  /** What is there now; undefined when it is to be made. */
  readonly base: Resource | undefined;
  /** The manifest that a new one begins with. */
  readonly initial?: JsonObject;
  readonly as: "form" | "yaml";
  readonly onAs: (as: "form" | "yaml") => void;
  /** Why it must not be applied: rights, or the state of what is there. */
  readonly why: string | undefined;
  readonly onDone: (resource: Resource) => void;
  readonly onCancel: () => void;
  /** Beside the text, such as a graph of what it says. */
  readonly beside?: (value: JsonObject | undefined) => ReactNode;
}

/** Writes a resource, as a form or as YAML, and shows what would change before anything does. */
export function ResourceEditor(props: Props) {
  const { kind, scope, as, onAs, why, onDone, onCancel, beside } = props;
  // Once somebody's newer writing was taken in, that is what the draft is compared with.
  const [base, setBase] = useState(props.base);
  const [initial] = useState(() => toYaml(base === undefined ? props.initial : writable(kind, base)));
  const draft = useDraft(kind, initial, why === undefined);
  const [reviewing, setReviewing] = useState(false);
  const done = useLeaveGuard(draft.text !== initial);
  const kinds = useKinds();
  const namesOf = async (name: string) => {
    const found = kinds.find((one) => one.name === name);
    return found === undefined ? [] : namesAround(found, scope);
  };
  const editor =
    as === "yaml" || draft.value === undefined ? (
      <YamlEditor
        text={draft.text}
        onChange={draft.setText}
        schema={draft.schema}
        problems={draft.problems}
        namesOf={namesOf}
        label={`${kind.name} as YAML`}
      />
    ) : (
      <DraftForm kind={kind} draft={draft} isNew={base === undefined} scope={scopeOf(draft.value, scope)} />
    );
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label="Write it as"
          value={draft.value === undefined ? "yaml" : as}
          onChange={(next) => onAs(next as "form" | "yaml")}
          data={[
            { value: "form", label: "Form", disabled: draft.value === undefined },
            { value: "yaml", label: "YAML" },
          ]}
        />
        <Group gap="xs">
          <Button variant="subtle" color="gray" onClick={onCancel}>
            Cancel
          </Button>
          <ReasonedButton
            label={base === undefined ? "Review and create" : "Review changes"}
            variant="filled"
            why={why ?? whyNotYet(draft, base)}
            onClick={() => setReviewing(true)}
          />
        </Group>
      </Group>
      <OtherFault draft={draft} />
      {beside === undefined ? (
        editor
      ) : (
        <div style={besideStyle}>
          {editor}
          {beside(draft.value)}
        </div>
      )}
      <Standing draft={draft} as={as} />
      {reviewing && (
        <ReviewDialog
          kind={kind}
          draft={draft}
          base={base}
          onClose={() => setReviewing(false)}
          onTake={(merged, current) => {
            setBase(current);
            draft.setValue(merged);
          }}
          onDone={(resource) => {
            done();
            onDone(resource);
          }}
        />
      )}
    </Stack>
  );
}

const besideStyle = {
  display: "grid",
  gridTemplateColumns: "repeat(auto-fit, minmax(min(100%, 420px), 1fr))",
  gap: 16,
};

function scopeOf(value: JsonObject | undefined, scope: Scope): Scope {
  const metadata = value?.metadata as Json | undefined;
  return isObject(metadata) && typeof metadata.scope === "string" ? metadata.scope : scope;
}

function whyNotYet(
  { value, errors, problems, rehearsal }: DraftState,
  base: Resource | undefined,
): string | undefined {
  if (value === undefined) return "the text cannot be read yet";
  const first = errors[0];
  if (first !== undefined) return `${first.pointer}: ${first.message}`;
  if (problems.length > 0) return problems[0]?.message;
  if (rehearsal === undefined) return "the server is being asked";
  if (rehearsal.fault !== undefined) return rehearsal.fault.message;
  return base !== undefined && rehearsal.difference?.outcome === "unchanged"
    ? "nothing was changed"
    : undefined;
}

/** What the server refuses without naming a field. */
function OtherFault({ draft: { rehearsal } }: { readonly draft: DraftState }) {
  const fault = rehearsal?.fault;
  return fault === undefined || fault.errors.length > 0 ? null : <FaultView fault={fault} />;
}

function Standing({ draft, as }: { readonly draft: DraftState; readonly as: Props["as"] }) {
  const { errors, problems, rehearsal, value } = draft;
  const wrong = Math.max(errors.length, problems.length);
  if (wrong > 0 && as === "form" && value !== undefined)
    return (
      <Text size="xs" c="dimmed" role="status">
        {wrong === 1 ? "One field still needs" : `${wrong} fields still need`} something: {errors[0]?.pointer}{" "}
        {errors[0]?.message}
      </Text>
    );
  if (wrong > 0)
    return (
      <Alert color="red" variant="light" p="xs" role="status">
        <Stack gap={2}>
          {problems.slice(0, 5).map(({ message, from }) => (
            <Text size="sm" key={`${from} ${message}`}>
              <Text span size="xs" c="dimmed">
                {placeText(draft.text, from)}
              </Text>{" "}
              {message}
            </Text>
          ))}
          {wrong > 5 && <Text size="xs">and {wrong - 5} more</Text>}
        </Stack>
      </Alert>
    );
  const words = rehearsal === undefined ? "Asking the server …" : "The server would take it.";
  return (
    <Text size="xs" c="dimmed" role="status">
      {rehearsal?.fault === undefined ? words : ""}
    </Text>
  );
}
