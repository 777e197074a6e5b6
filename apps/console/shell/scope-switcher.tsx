import { Button, Combobox, Text, useCombobox } from "@mantine/core";
import { client, readPath, scopedPath, useGo, usePath, useQuery, useScope, withQuery } from "@reeve/kit";
import { childScope, lastPart, type Scope, scopeParts } from "@reeve/model";
import { IconChevronDown, IconSitemap } from "@tabler/icons-react";
import { useEffect, useState } from "react";

const opening = [
  { name: "Organization", plural: "organizations" },
  { name: "Project", plural: "projects" },
  { name: "Workspace", plural: "workspaces" },
];

/** Chooses the part of the installation that lists show; the choice is in the address. */
export function ScopeSwitcher() {
  const scope = useScope();
  const path = usePath();
  const [query] = useQuery();
  const go = useGo();
  const scopes = useScopes();
  const [search, setSearch] = useState("");
  const box = useCombobox({ onDropdownClose: () => setSearch("") });
  const found = scopes.filter((one) => one.includes(search.toLowerCase()));

  const choose = (chosen: Scope) => {
    box.closeDropdown();
    const { rest } = readPath(path);
    const plural = rest[0];
    const isKind = plural !== undefined && readPath(path).scope !== "";
    if (isKind) go(scopedPath(`{scope}/${plural}`, chosen));
    else go(withQuery(path, { ...query, scope: chosen || undefined }));
  };

  return (
    <Combobox store={box} onOptionSubmit={choose} width={280} position="bottom-start">
      <Combobox.Target>
        <Button
          variant="subtle"
          color="gray"
          onClick={() => box.toggleDropdown()}
          leftSection={<IconSitemap size={16} />}
          rightSection={<IconChevronDown size={14} />}
          aria-label={`Scope: ${scope || "everything"}`}
        >
          <Text size="sm" truncate maw={{ base: 110, sm: 260 }} ff={scope ? "monospace" : undefined}>
            {scope || "Everything"}
          </Text>
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          placeholder="Find a scope"
          aria-label="Find a scope"
        />
        <Combobox.Options mah={360} style={{ overflowY: "auto" }}>
          <Combobox.Option value="">Everything</Combobox.Option>
          {found.map((one) => (
            <Combobox.Option key={one} value={one}>
              <Text size="sm" ff="monospace" pl={search ? 0 : (scopeParts(one).length - 1) * 14}>
                {search ? one : lastPart(one)}
              </Text>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

/** Every scope that one may see, as a tree in one list. */
function useScopes(): readonly Scope[] {
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  useEffect(() => {
    const read = async () => {
      const lists = opening.map((kind) =>
        Array.fromAsync(client.kind(kind).list("", { deep: true, limit: 1000 })),
      );
      const all = (await Promise.all(lists)).flat();
      setScopes(all.map(({ metadata: { scope, name } }) => childScope(scope, name)).sort());
    };
    read().catch(() => undefined);
  }, []);
  return scopes;
}
