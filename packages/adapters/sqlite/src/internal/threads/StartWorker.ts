/**
 * Starts the thread of a database. The build replaces this module by one that contains the program of the thread, because a
 * bundler does not find a file that no import names.
 */
import { Worker, type WorkerOptions } from "node:worker_threads"

/** The program has the extension of this file: `.ts` in the repository, `.js` in the bundle of the tests. */
const program = new URL(`./DatabaseThread${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`, import.meta.url)

export const startWorker = (options: WorkerOptions): Worker => new Worker(program, options)
