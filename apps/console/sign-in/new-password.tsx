import { PasswordInput } from "@mantine/core";
import { CallFault } from "@reeve/sdk";

export interface TwicePassword {
  readonly password: string;
  readonly again: string;
}

export const noPassword: TwicePassword = { password: "", again: "" };

/** Throws what is said to the person when the two differ. */
export function agreed({ password, again }: TwicePassword): string {
  if (password !== again) throw new CallFault("invalid", "the two passwords differ");
  return password;
}

interface Props {
  readonly value: TwicePassword;
  readonly onChange: (value: TwicePassword) => void;
}

/** A new password, twice. */
export function NewPassword({ value, onChange }: Props) {
  const rule = {
    autoComplete: "new-password",
    required: true,
    withAsterisk: false,
    minLength: 12,
    maxLength: 1024,
  };
  return (
    <>
      <PasswordInput
        {...rule}
        label="Password"
        description="At least 12 characters"
        value={value.password}
        onChange={(event) => onChange({ ...value, password: event.currentTarget.value })}
      />
      <PasswordInput
        {...rule}
        label="Password again"
        value={value.again}
        onChange={(event) => onChange({ ...value, again: event.currentTarget.value })}
      />
    </>
  );
}
