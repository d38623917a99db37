import { answer, flag, list, nullable, Type } from "../../../core/schema/schema.ts";

const NodeVersion = answer(
  "InstanceNodeVersion",
  { id: Type.String(), version: nullable(Type.String()), revision: nullable(Type.String()) },
  {
    id: "Name of the node",
    version: "Version that it runs; null if it does not answer",
    revision: "Commit that it runs; null if it does not answer, or is of a version that does not tell",
  },
);

export const UpdatesRead = answer(
  "InstanceUpdates",
  {
    version: Type.String(),
    revision: Type.String(),
    steps_applied: list(Type.String()),
    steps_pending: list(Type.String()),
    steps_unknown: list(Type.String()),
    nodes: list(NodeVersion),
    is_uniform: flag(),
  },
  {
    version: "Version of the node that answers",
    revision: "Commit of the node that answers; `unknown` where nothing names it",
    steps_applied: "Steps of the schema that the database has, in order",
    steps_pending: "Steps that this version has and the database lacks",
    steps_unknown: "Steps that the database has from a newer version",
    nodes: "The nodes of the installation that are known now",
    is_uniform: "Whether every node answers and runs the same version and commit, and no step is pending or unknown",
  },
);
