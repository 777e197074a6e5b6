import { Button, Menu, ScrollArea, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { describedBy, type Property } from "../schema/schema.ts";

interface Props {
  readonly properties: readonly Property[];
  readonly onAdd: (property: Property) => void;
}

/** The fields that are not used yet, each with what it is for. */
export function AddFieldMenu({ properties, onAdd }: Props) {
  if (properties.length === 0) return null;
  return (
    <Menu position="bottom-start" width={380} withinPortal>
      <Menu.Target>
        <Button variant="default" leftSection={<IconPlus size={14} />} w="fit-content">
          Add a field
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <ScrollArea.Autosize mah={360}>
          {properties.map((one) => (
            <Menu.Item key={one.name} onClick={() => onAdd(one)}>
              <Text size="sm" className="mono">
                {one.name}
              </Text>
              <Text size="xs" c="dimmed" lineClamp={2}>
                {describedBy(one.at)}
              </Text>
            </Menu.Item>
          ))}
        </ScrollArea.Autosize>
      </Menu.Dropdown>
    </Menu>
  );
}
