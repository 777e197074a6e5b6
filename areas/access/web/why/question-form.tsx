import { Group, Select, TextInput } from "@mantine/core";
import { runVerbs, verbsOf } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { SubjectField } from "../subject-field.tsx";

interface Question {
  readonly subject: string;
  readonly verb: string;
  readonly kind: string;
  readonly scope: string;
  readonly name: string;
}

interface Props {
  readonly kinds: readonly KindInfo[];
  readonly question: Question;
  readonly onChange: (patch: Readonly<Record<string, string | undefined>>) => void;
}

/** "May WHO do VERB to KIND NAME in SCOPE?" The scope is the one that is chosen above. */
export function QuestionForm({ kinds, question, onChange }: Props) {
  const verbsFor = (kind: string): readonly string[] => {
    const found = kinds.find((one) => one.name === kind);
    return found === undefined ? runVerbs : verbsOf(found);
  };
  const chooseKind = (kind: string) =>
    onChange({
      kind,
      verb: verbsFor(kind).includes(question.verb) ? question.verb : "read",
      name: undefined,
    });
  return (
    <Group align="flex-end" gap="sm">
      <SubjectField
        label="May"
        kinds={["User", "ServiceAccount"]}
        scope={question.scope}
        value={question.subject}
        onChange={(subject) => subject && onChange({ subject })}
      />
      <Select
        label="do"
        data={[...verbsFor(question.kind)]}
        value={question.verb}
        onChange={(verb) => verb && onChange({ verb })}
        searchable
        allowDeselect={false}
        w={150}
      />
      <Select
        label="to"
        data={[...kinds.map(({ name }) => name), "Run"].sort()}
        value={question.kind}
        onChange={(kind) => kind && chooseKind(kind)}
        searchable
        allowDeselect={false}
        w={180}
      />
      <TextInput
        label="named"
        placeholder="any"
        defaultValue={question.name}
        key={question.name}
        onBlur={(event) => onChange({ name: event.currentTarget.value || undefined })}
        onKeyDown={(event) => {
          if (event.key === "Enter") onChange({ name: event.currentTarget.value || undefined });
        }}
        disabled={question.kind === "Run"}
        w={150}
      />
      <TextInput
        label="in"
        value={question.scope || "the installation"}
        readOnly
        description={undefined}
        w={180}
        title="Choose it by the scope switcher above."
      />
    </Group>
  );
}
