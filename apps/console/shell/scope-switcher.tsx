import { Button, Combobox, Text, useCombobox } from "@mantine/core";
import { paths, readPath, useGo, useKinds, usePath, useQuery, useScope, withQuery } from "@reeve/kit";
import { lastPart, type Scope, scopeParts } from "@reeve/model";
import { IconChevronDown, IconSitemap } from "@tabler/icons-react";
import { useState } from "react";
import { useScopes } from "./scopes.ts";

const shownMost = 200;

/** Chooses the part of the installation that lists show; the choice is in the address. */
export function ScopeSwitcher() {
  const scope = useScope();
  const path = usePath();
  const [query] = useQuery();
  const go = useGo();
  const kinds = useKinds();
  const [search, setSearch] = useState("");
  const box = useCombobox({ onDropdownClose: () => setSearch("") });

  const choose = (chosen: Scope) => {
    box.closeDropdown();
    const { rest } = readPath(path);
    const kind = kinds.find(({ plural }) => plural === rest[0]);
    // From one resource to the list of its kind: it is not in the other scope.
    if (kind !== undefined) go(paths.list(kind, chosen));
    else go(withQuery(path, { ...query, scope: chosen || undefined }));
  };

  return (
    <Combobox store={box} onOptionSubmit={choose} width={280} position="bottom-start" keepMounted={false}>
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
          {box.dropdownOpened && <ScopeOptions search={search} />}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

/** Watches the scopes only while somebody chooses one: there may be thousands. */
function ScopeOptions({ search }: { readonly search: string }) {
  const found = useScopes().filter((one) => one.includes(search.toLowerCase()));
  return (
    <>
      {found.slice(0, shownMost).map((one) => (
        <Combobox.Option key={one} value={one}>
          <Text size="sm" ff="monospace" pl={search ? 0 : (scopeParts(one).length - 1) * 14}>
            {search ? one : lastPart(one)}
          </Text>
        </Combobox.Option>
      ))}
      {found.length > shownMost && (
        <Combobox.Empty>{(found.length - shownMost).toLocaleString()} more: find them by name</Combobox.Empty>
      )}
    </>
  );
}
