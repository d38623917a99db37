/** The file or the mapping cannot be used at all; the message is one sentence. */
export class ImportRefused extends Error {
  override name = "ImportRefused";
}
