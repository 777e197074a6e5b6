import { List, Text } from "@mantine/core";
import { PageLink, paths, Section, useKinds } from "@reeve/kit";
import { named } from "../kinds/words.ts";

/** The kinds by which an installation is set up rather than used. */
const names = ["IdentityProvider", "TrustedIssuer", "Channel", "Quota", "Organization"];

export function KindLinks() {
  const kinds = useKinds().filter(({ name }) => names.includes(name));
  return (
    <Section title="Set up">
      <List size="sm" spacing={6} listStyleType="none" p={0}>
        {kinds.map((kind) => (
          <List.Item key={kind.name}>
            <PageLink to={paths.list(kind, "")}>{named(kind)}</PageLink>{" "}
            <Text span size="sm" c="dimmed">
              {kind.summary}
            </Text>
          </List.Item>
        ))}
      </List>
    </Section>
  );
}
