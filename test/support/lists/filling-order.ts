const areClients = (file: string): boolean => file.includes("/clients/");

/** Sorts fixture files in the order their lists are filled: clients first, because rows of other lists belong to clients. */
export const inFillingOrder = (files: readonly string[]): string[] =>
  files.toSorted((one, other) => Number(areClients(other)) - Number(areClients(one)) || (one < other ? -1 : 1));
