/**
 * The command line, as the executable loads it. The build replaces this module by one that loads a bundle of the program.
 */
export { run } from "./cli/Main.ts"
