/** An operation of the reference, with its address there. */
export interface FoundOperation {
  route: string;
  summary: string;
  address: string;
}

interface ShownOperation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
}

type Searched = FoundOperation & { text: string };

let latest: { document: string; operations: readonly Searched[] } | undefined;

/** The operations of a document, parsed once for each text of it. */
export function allOperations(document: string): readonly Searched[] {
  if (latest?.document === document) return latest.operations;
  const { paths = {} } = JSON.parse(document) as { paths?: Record<string, Record<string, ShownOperation>> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary = "", description = "", tags: [tag = ""] = [] }]) => {
      const route = `${method.toUpperCase()} ${path}`;
      const text = `${route} ${summary} ${description}`.toLowerCase();
      return { route, summary, address: `/api/redoc#tag/${tag}/operation/${operationId}`, text };
    }),
  );
  latest = { document, operations };
  return operations;
}

/**
 * The operations whose route, summary or description contains every word; those with all words in the summary come first.
 * @param document the OpenAPI document as JSON text
 * @param words in lower case
 */
export function foundOperations(document: string, words: readonly string[]): FoundOperation[] {
  const isNamed = ({ summary }: Searched) => words.every((word) => summary.toLowerCase().includes(word));
  return allOperations(document)
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .toSorted((one, other) => Number(isNamed(other)) - Number(isNamed(one)));
}
