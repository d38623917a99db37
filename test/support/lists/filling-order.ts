const areClients = (file: string): boolean => file.includes("services/clients/");

/** Files of proofs in the order their lists are filled: those of clients first, because the rows of other lists belong to clients. */
export const inFillingOrder = (files: readonly string[]): string[] =>
  files.toSorted((one, other) => Number(areClients(other)) - Number(areClients(one)) || (one < other ? -1 : 1));
