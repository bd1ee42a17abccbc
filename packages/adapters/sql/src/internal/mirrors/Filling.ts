/**
 * The values of the column `mirror.filling`, other than 0: tasks are being created for files that may have none.
 */

/** For the files that the bucket had when it got the mirror. Those after the position have no task, unless they changed since. */
export const initial = 1

/** For files that a reconciliation looks for. Almost all of them have a task. */
export const again = 2
