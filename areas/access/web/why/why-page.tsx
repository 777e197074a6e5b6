import { Stack, Text } from "@mantine/core";
import {
  client,
  FaultView,
  PageHeader,
  useKinds,
  useQuery,
  useReading,
  useScope,
  useWhoami,
} from "@reeve/kit";
import { readSubject, refOf, subjectWord } from "../subject.ts";
import { Explained } from "./explained.tsx";
import { QuestionForm } from "./question-form.tsx";

/** Why somebody may do something, or what they would need; the question is in the address, so that it can be sent. */
export default function WhyPage() {
  const me = useWhoami().subject;
  const kinds = useKinds();
  const scope = useScope();
  const [query, setQuery] = useQuery();
  const mine = subjectWord({ kind: "User", scope: "", name: me.name });
  const { subject = mine, kind = "Project", verb = "read", name } = query;
  const question = {
    verb,
    kind,
    scope,
    ...(name && { name }),
    ...(subject !== mine && { as: asked(subject) }),
  };
  const { value, fault } = useReading(JSON.stringify(question), () => client.canI(question));
  const what = `${kind.toLowerCase()}${name ? `/${name}` : ""}${scope && ` --scope ${scope}`}`;
  const command = `reeve auth why ${subject.replace(":", "/")} ${verb} ${what}`;
  return (
    <>
      <PageHeader
        title="Who may what"
        lead="Why somebody may do something, by which binding and whose; or which roles would let them."
      />
      <Stack maw={860}>
        <QuestionForm
          kinds={kinds}
          question={{ subject, kind, verb, scope, name: name ?? "" }}
          onChange={(patch) => setQuery(patch)}
        />
        {fault && <FaultView fault={fault} />}
        {value && <Explained question={{ kind, verb, name }} explanation={value} />}
        <Text size="xs" c="dimmed">
          From a terminal: <code>{command}</code>
        </Text>
      </Stack>
    </>
  );
}

function asked(word: string) {
  const subject = readSubject(word) ?? { kind: "User" as const, scope: "", name: word };
  return refOf(subject);
}
