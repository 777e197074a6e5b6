import { TextInput } from "@mantine/core";
import { NewPassword, noPassword, type TwicePassword } from "./new-password.tsx";

export interface NewUser extends TwicePassword {
  readonly user: string;
  readonly displayName: string;
}

export const noUser: NewUser = { user: "", displayName: "", ...noPassword };

export const namePattern = "[a-z0-9]([\\-a-z0-9]*[a-z0-9])?";

interface Props {
  readonly value: NewUser;
  readonly onChange: (value: NewUser) => void;
}

/** Who a new user is. */
export function UserFields({ value, onChange }: Props) {
  return (
    <>
      <TextInput
        label="Name"
        description="Lower-case letters, digits and -"
        value={value.user}
        onChange={(event) => onChange({ ...value, user: event.currentTarget.value })}
        autoComplete="username"
        autoCapitalize="none"
        autoFocus
        required
        withAsterisk={false}
        maxLength={63}
        pattern={namePattern}
      />
      <TextInput
        label="Display name"
        description="If you like"
        value={value.displayName}
        onChange={(event) => onChange({ ...value, displayName: event.currentTarget.value })}
        autoComplete="name"
        maxLength={200}
      />
      <NewPassword value={value} onChange={(twice) => onChange({ ...value, ...twice })} />
    </>
  );
}
