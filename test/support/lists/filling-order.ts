const areClients = (file: string): boolean => file.includes("services/clients/");

/** Sorts proof files in the order their lists are filled: clients first, because rows of other lists belong to clients. */
export const inFillingOrder = (files: readonly string[]): string[] =>
  files.toSorted((one, other) => Number(areClients(other)) - Number(areClients(one)) || (one < other ? -1 : 1));
