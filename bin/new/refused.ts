/** Why nothing was written, in a sentence for the person who typed the command. */
export class GenerationRefused extends Error {
  override name = "GenerationRefused";
}
