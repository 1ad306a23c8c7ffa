"""The inner loop of replaying: the same acts from the same deal, for many choices of the rigid fields."""

import numpy as np

from tricklaw.solver._explorer_loop import Words
from tricklaw.solver._explorer_machine import outer, prepare, run, user_cache

_ZERO = np.uint64(0)

with user_cache():

    @outer
    def follow(
        functions: Words, steps: Words, acts: Words, rigids: Words, room: Words, ends: Words, told: Words
    ) -> None:
        """Do the acts in turn for each row of rigid fields, as far as they are possible.

        Args:
            functions: the addresses of ``prepare`` and of the watch function, 0 for none.
            steps: for each act the address of its step.
            acts: for each act its fields.
            rigids: the settled rows of rigid fields.
            room: a row for what compiled functions keep, one for what they put out.
            ends: for each row of rigid fields the packed words of the deal, which become those of the end.
            told: for each of them how many acts were possible, the flags of the last of these, the watched outputs.
        """
        temps_at, out_at = np.uint64(room[0].ctypes.data), np.uint64(room[1].ctypes.data)
        for at in range(len(rigids)):
            rigid_at, words_at = np.uint64(rigids[at].ctypes.data), np.uint64(ends[at].ctypes.data)
            for act in range(len(acts)):
                prepare(functions[0], words_at, rigid_at, temps_at)
                run(steps[act], temps_at, rigid_at, words_at, np.uint64(acts[act].ctypes.data), out_at)
                if room[1, 0] == _ZERO:
                    break
                told[at, 0], told[at, 1] = np.uint64(act + 1), room[1, 1]
                for word in range(ends.shape[1]):
                    ends[at, word] = room[1, 2 + word]
            if functions[1] != _ZERO:
                prepare(functions[0], words_at, rigid_at, temps_at)
                run(functions[1], temps_at, rigid_at, words_at, words_at, out_at)
                for output in range(told.shape[1] - 2):
                    told[at, 2 + output] = room[1, output]
