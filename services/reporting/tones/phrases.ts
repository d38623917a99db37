/** Phrases as stored: trimmed, without blank ones (workspace-reporting §1.1). */
export const tidyPhrases = (phrases: readonly string[] = []): string[] =>
  phrases.map((phrase) => phrase.trim()).filter((phrase) => phrase !== "");
