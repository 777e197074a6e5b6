import { Table, Text, Tooltip, UnstyledButton } from "@mantine/core";
import { PageLink, paths } from "@reeve/kit";
import {
  IconCheck,
  IconChevronDown,
  IconChevronRight,
  IconCircleHalf2,
  IconMinus,
} from "@tabler/icons-react";
import { Fragment } from "react";
import { type MatrixRole, type MatrixRow, type Share, shareOf } from "./matrix.ts";
import classes from "./permission-matrix.module.css";

interface Props {
  readonly roles: readonly MatrixRole[];
  readonly rows: readonly MatrixRow[];
  /** The rows that show each verb. */
  readonly open: ReadonlySet<string>;
  readonly onToggle: (about: string) => void;
}

const kind = { name: "Role", plural: "roles" };

/** Which role allows what: a row for each kind, which opens to its verbs. */
export function PermissionMatrix({ roles, rows, open, onToggle }: Props) {
  return (
    <Table.ScrollContainer minWidth={220 + roles.length * 92} type="native">
      <Table stickyHeader className={classes.matrix}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Permission</Table.Th>
            {roles.map(({ name, summary, scope }) => (
              <Table.Th key={`${scope} ${name}`} className={classes.role}>
                <Tooltip label={summary || "A role of your own."}>
                  {scope === undefined ? (
                    <Text span size="sm" fw={600} ff="monospace">
                      {name}
                    </Text>
                  ) : (
                    <PageLink to={paths.resource(kind, scope, name)} className={classes.own}>
                      {name}
                    </PageLink>
                  )}
                </Tooltip>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Fragment key={row.about}>
              <Table.Tr>
                <Table.Th scope="row">
                  <UnstyledButton
                    onClick={() => onToggle(row.about)}
                    aria-expanded={open.has(row.about)}
                    className={classes.toggle}
                  >
                    {open.has(row.about) ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
                    {row.about}
                  </UnstyledButton>
                </Table.Th>
                {roles.map((role) => {
                  const { share, held } = shareOf(role, row);
                  return (
                    <Cell key={`${role.scope} ${role.name}`} share={share} words={words(share, held, row)} />
                  );
                })}
              </Table.Tr>
              {open.has(row.about) &&
                row.permissions.map((permission) => (
                  <Table.Tr key={permission} className={classes.verb}>
                    <Table.Th scope="row">{permission}</Table.Th>
                    {roles.map((role) => (
                      <Cell
                        key={`${role.scope} ${role.name}`}
                        share={role.allows.has(permission) ? "all" : "none"}
                        words={role.allows.has(permission) ? "yes" : "no"}
                      />
                    ))}
                  </Table.Tr>
                ))}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function words(share: Share, held: number, { permissions }: MatrixRow): string {
  return share === "some" ? `${held} of ${permissions.length}` : share === "all" ? "all" : "none";
}

const icons = { all: IconCheck, some: IconCircleHalf2, none: IconMinus } as const;

function Cell({ share, words }: { readonly share: Share; readonly words: string }) {
  const Icon = icons[share];
  return (
    <Table.Td className={classes.cell} data-share={share}>
      <Icon size={14} aria-hidden /> <span>{words}</span>
    </Table.Td>
  );
}
