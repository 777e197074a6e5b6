import { Group, Paper, Stack, Text, Timeline } from "@mantine/core";
import { Age, PageLink, paths, Section, StateBadge, scopedPath, sentence } from "@reeve/kit";
import { builtinRoleNames, scopeParts, showScope } from "@reeve/model";
import type { Explanation } from "@reeve/sdk";
import { IconKeyframes, IconUser, IconUserCheck, IconUsersGroup } from "@tabler/icons-react";
import { readSubject, subjectKinds } from "../subject.ts";

interface Props {
  readonly question: { readonly kind: string; readonly verb: string; readonly name: string | undefined };
  readonly explanation: Explanation;
}

/** The answer, and every way by which the right is held. */
export function Explained({ question, explanation }: Props) {
  const { subject, allowed, permission, scope, why, chain, wouldGive } = explanation;
  return (
    <Stack>
      <Paper withBorder p="md">
        <Group gap="sm">
          <StateBadge state={allowed ? "accepted" : "denied"} word={allowed ? "Yes" : "No"} />
          <Text>
            {subject} may {allowed ? "" : "not "}
            {question.verb} {question.kind}
            {question.name ? ` ${question.name}` : ""} in {showScope(scope)}.
          </Text>
        </Group>
        <Text size="sm" c="dimmed" mt={4}>
          {sentence(why)}. What is asked for is the permission <code>{permission}</code>.
        </Text>
      </Paper>
      {chain.map((link) => (
        <Way key={`${link.scope} ${link.binding}`} subject={subject} permission={permission} link={link} />
      ))}
      {!allowed && (
        <Section
          title="What would let them"
          lead={`One of these roles, bound in ${showScope(scope)} or above it.`}
        >
          {wouldGive.length === 0 ? (
            <Text size="sm">No role that you may see gives it.</Text>
          ) : (
            <Group gap="sm">
              {wouldGive.map((role) => (
                <PageLink
                  key={role}
                  to={`${scopedPath("{scope}/rolebindings", scope)}?give=yes&subject=${encodeURIComponent(subject)}`}
                >
                  {role}
                </PageLink>
              ))}
            </Group>
          )}
        </Section>
      )}
    </Stack>
  );
}

interface WayProps {
  readonly subject: string;
  readonly permission: string;
  readonly link: Explanation["chain"][number];
}

function Way({ subject, permission, link }: WayProps) {
  const { scope, role, binding, group, by, at } = link;
  const holder = readSubject(subject);
  const name = scope === "" ? binding : binding.slice(scope.length + 1);
  const readable = at !== undefined;
  const kinds = {
    binding: { name: "RoleBinding", plural: "rolebindings" },
    role: { name: "Role", plural: "roles" },
  };
  const builtin = (builtinRoleNames as readonly string[]).includes(role);
  return (
    <Paper withBorder p="md">
      <Timeline bulletSize={22} lineWidth={2}>
        <Timeline.Item bullet={<IconUser size={13} />} title={subject}>
          {holder && (
            <Text size="sm" c="dimmed">
              <PageLink to={paths.resource(subjectKinds[holder.kind], holder.scope, holder.name)}>
                Who they are
              </PageLink>
            </Text>
          )}
        </Timeline.Item>
        {group !== undefined && (
          <Timeline.Item bullet={<IconUsersGroup size={13} />} title={`is in the group ${group}`} />
        )}
        <Timeline.Item
          bullet={<IconUserCheck size={13} />}
          title={
            readable ? (
              <>
                by the binding <PageLink to={paths.resource(kinds.binding, scope, name)}>{name}</PageLink> in{" "}
                {showScope(scope)}
              </>
            ) : (
              `by a binding in ${showScope(scope)} that you may not read`
            )
          }
        >
          {by !== undefined && (
            <Text size="sm" c="dimmed">
              written by {by}, <Age at={at} />
            </Text>
          )}
        </Timeline.Item>
        <Timeline.Item
          bullet={<IconKeyframes size={13} />}
          title={
            <>
              holds the role{" "}
              <PageLink
                to={
                  builtin
                    ? `${paths.list(kinds.role, scopeParts(scope)[0] ?? "")}?find=${encodeURIComponent(permission)}`
                    : paths.resource(kinds.role, scopeParts(scope)[0] ?? "", role)
                }
              >
                {role}
              </PageLink>
            </>
          }
        >
          <Text size="sm" c="dimmed">
            which allows <code>{permission}</code> in {showScope(scope)} and below
          </Text>
        </Timeline.Item>
      </Timeline>
    </Paper>
  );
}
