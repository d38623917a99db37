/** A start that cannot go on before the operator has acted. The message is one sentence that names the way out. */
export class StartRefused extends Error {
  override name = "StartRefused";
}
