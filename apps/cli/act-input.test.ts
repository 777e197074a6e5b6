import { expect, test } from "vitest";
import { readActInput } from "./act-input.ts";

test("values are JSON where they can be, and text where the schema says so", () => {
  const schema = { properties: { version: { type: "string" }, replicas: { type: "integer" } } };
  expect(
    readActInput(["version=12", "replicas=3", "on=true", "name=web", "list=[1,2]", "empty="], schema),
  ).toEqual({
    version: "12",
    replicas: 3,
    on: true,
    name: "web",
    list: [1, 2],
    empty: "",
  });
});

test("dots lead inwards, equals signs may be in values", () => {
  expect(readActInput(["size.cpus=4", "size.memory=2G", "filter=a=b"], undefined)).toEqual({
    size: { cpus: 4, memory: "2G" },
    filter: "a=b",
  });
});

test("what is no pair is refused, and so is a way to the prototype", () => {
  for (const bad of ["x", "=1", "__proto__.a=1", "a..b=1"])
    expect(() => readActInput([bad], undefined)).toThrow();
});
