import type { Operation } from "./model.ts";

/** Operations and groups of operations, by their names. */
export interface Group {
  methods: Map<string, Operation>;
  groups: Map<string, Group>;
}
const emptyGroup = (): Group => ({ methods: new Map(), groups: new Map() });

/** The groups that dotted names make. */
export function groupsOf(operations: Operation[]): Group {
  const root = emptyGroup();
  for (const operation of operations) {
    const parts = operation.name.split(".");
    const last = parts.pop() as string;
    let group = root;
    for (const part of parts) {
      const next = group.groups.get(part) ?? emptyGroup();
      group.groups.set(part, next);
      group = next;
    }
    group.methods.set(last, operation);
  }
  return root;
}

/** Whether an answer is a list without pages that a copy can follow. */
export const isList = ({ query, answer: { schemas } }: Operation): boolean =>
  schemas[0]?.type === "array" && query.some(({ name }) => name === "updated_since");

/** Those of `limit` and `count` that a list takes. */
export const walksOf = ({ query }: Operation): string[] =>
  ["limit", "count"].filter((word) => query.some(({ name }) => name === word));
