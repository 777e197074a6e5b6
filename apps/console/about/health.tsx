import { List, Text } from "@mantine/core";
import { asFault, Section, StateBadge, sentence, useReading } from "@reeve/kit";

/** Whether the replica that answers is ready for traffic; the same that a load balancer asks. */
export function Health() {
  const { value } = useReading("readyz", readHealth);
  return (
    <Section title="Health">
      {value && (
        <>
          <StateBadge state={value.ready ? "ready" : "degraded"} word={value.ready ? "ready" : "not ready"} />
          {value.reasons.length > 0 && (
            <List size="sm" mt="xs">
              {value.reasons.map((reason) => (
                <List.Item key={reason}>{sentence(reason)}</List.Item>
              ))}
            </List>
          )}
          <Text size="xs" c="dimmed" mt="xs">
            As <code>/readyz</code> says; figures for a monitoring system are at <code>/metrics</code>.
          </Text>
        </>
      )}
    </Section>
  );
}

/** A probe answers 503 with its reasons: that is an answer, too. */
async function readHealth(): Promise<{ ready: boolean; reasons: readonly string[] }> {
  try {
    const answer = await fetch("/readyz");
    return (await answer.json()) as { ready: boolean; reasons: readonly string[] };
  } catch (error) {
    return { ready: false, reasons: [asFault(error).message] };
  }
}
