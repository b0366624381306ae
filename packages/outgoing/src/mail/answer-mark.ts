/** The first line of a mail that is answered by mail. Mail programs quote what they answer, so what follows this line is no answer. */
export const answerMark = 'Write your answer above this line.';
