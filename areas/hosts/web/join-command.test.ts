import { expect, test } from "vitest";
import { joinCommand, readLabels } from "./join-command.ts";

test("the command is one line that a shell reads as it stands", () => {
  expect(joinCommand("https://reeve.example.com", "rjt_abc-DEF_1")).toBe(
    "curl -fsS https://reeve.example.com/agent/install.sh | sh -s -- --token rjt_abc-DEF_1",
  );
});

test("labels are read as people write them", () => {
  expect(readLabels("pool=build, zone=a")).toEqual({ pool: "build", zone: "a" });
  expect(readLabels(" , ")).toEqual({});
  expect(readLabels("a=b=c")).toEqual({ a: "b=c" });
});
