"""The names of everything that is measured: the words shared by probe, trace and detectors."""

from __future__ import annotations

from dataclasses import dataclass

INTERNAL = "internal"  # the attribute of a record of our logger that tells an error of our own


@dataclass(frozen=True, slots=True)
class Statistic:
    """One measured quantity.

    `degree` says how it grows when the gradient is multiplied by s: as s to this power. It is
    what undoes the scale of a `GradScaler`.
    """

    meaning: str
    degree: int = 0


def _ten(of: str, degree: int) -> dict[str, Statistic]:
    """The ten statistics of BTTackler for `weight` or `grad`."""
    return {
        f"{of}_mean": Statistic("mean", degree),
        f"{of}_var": Statistic("variance", 2 * degree),
        f"{of}_median": Statistic("median, from a sample of at most 256 values", degree),
        f"{of}_min": Statistic("minimum", degree),
        f"{of}_max": Statistic("maximum", degree),
        f"{of}_q1": Statistic("lower quartile, from the same sample", degree),
        f"{of}_q3": Statistic("upper quartile, from the same sample", degree),
        f"{of}_skew": Statistic("skewness"),
        f"{of}_kurtosis": Statistic("excess kurtosis"),
        f"{of}_zero": Statistic("share of exact zeros"),
    }


# Seen at every look.
VITALS: dict[str, Statistic] = {
    "grad_norm": Statistic("Euclidean norm of the gradient; infinite if it is not finite", 1),
    "grad_nonfinite": Statistic("1 if the gradient has a NaN or an infinity, else 0"),
}

GRADIENTS: dict[str, Statistic] = {
    "grad_mean_abs": Statistic("mean of |g|", 1),
    "grad_max_abs": Statistic("largest |g|", 1),
    **_ten("grad", 1),
}

WEIGHTS: dict[str, Statistic] = {
    "weight_norm": Statistic("Euclidean norm of the weights"),
    "weight_nonfinite": Statistic("1 if a weight is NaN or infinite, else 0"),
    **_ten("weight", 0),
    "update_ratio": Statistic("norm of the last update over the norm of the weights"),
}

ACTIVATIONS: dict[str, Statistic] = {
    "act_mean": Statistic("mean of the output"),
    "act_var": Statistic("variance of the output"),
    "act_max_abs": Statistic("largest |x| of the output; infinite if it is not finite"),
    "act_nonfinite": Statistic("1 if the output has a NaN or an infinity, else 0"),
    "act_dead": Statistic("share of units never active over the batch"),
    "act_saturated": Statistic("share of values within 1 % of a bound of the activation"),
    "act_training": Statistic("1 if the module was in training mode, else 0"),
    "input_dead": Statistic("share of dead units in an input that no other row shows"),
    "input_saturated": Statistic("share of saturated values in such an input"),
}

LAYER_STATISTICS: dict[str, Statistic] = {**VITALS, **GRADIENTS, **WEIGHTS, **ACTIVATIONS}

# One value per frame. Learning rates are `lr/0`, `lr/1` … in the order of the groups.
SCALARS: dict[str, Statistic] = {
    "loss": Statistic("raw loss: the sum of what `backward` was called on in this step", 1),
    "grad_norm": Statistic("global gradient norm, before clipping, unscaled", 1),
    "loss_finite": Statistic("1 if the loss was finite"),
    "grad_finite": Statistic("1 if every gradient was finite"),
    "weight_finite": Statistic("1 if every weight was finite"),
    "act_finite": Statistic("1 if every recorded output was finite"),
    "skipped": Statistic("1 if the step was skipped, by a gradient scaler or by a treatment"),
    "scale": Statistic("the scale of the GradScaler, 1 without one"),
    "backwards": Statistic("number of backward passes that made this step's gradient"),
    "grad_carried": Statistic("1 if a gradient of the step before was still there when this began"),
    "grad_raw": Statistic("1 if the gradient was read before anything could change it"),
    "batch_size": Statistic("samples in the last forward pass"),
    "overhead": Statistic("share of the run's time that watching has cost so far"),
    "input_min": Statistic("smallest finite input"),
    "input_max": Statistic("largest finite input"),
    "input_mean": Statistic("mean of the finite inputs"),
    "input_std": Statistic("standard deviation of the finite inputs"),
    "input_nan": Statistic("share of inputs that are not finite"),
    "input_constant": Statistic("share of input features that do not vary over the batch"),
    "first_constant": Statistic("share of units of the first layer that are equal for all samples"),
    "target_min": Statistic("smallest finite target"),
    "target_max": Statistic("largest finite target"),
    "target_mean": Statistic("mean of the finite targets"),
    "target_std": Statistic("standard deviation of the finite targets"),
    "implied_mean": Statistic("mean of the targets that a squared difference by hand implies"),
    "implied_std": Statistic("standard deviation of these"),
    "target_nan": Statistic("share of targets that are not finite"),
    "target_constant": Statistic("1 if all targets of the batch are the same"),
    "target_classes": Statistic("number of distinct labels, or whole numbers, in the batch"),
    "target_whole": Statistic("1 if all real targets are whole numbers"),
    "target_copied": Statistic("share of targets that are the token at the same place"),
    "label_entropy": Statistic("entropy, in nats, of all integer labels seen so far"),
    "label_majority": Statistic("share of the most frequent of all integer labels seen so far"),
    "fit_loss": Statistic("the part of a composed loss that compares predictions with targets"),
    "fit_constant": Statistic("that part for the best constant answer to the targets seen so far"),
    "candidates": Statistic("number of samples that a contrastive loss by hand chooses among"),
    "output_min": Statistic("smallest output of the model"),
    "output_max": Statistic("largest output of the model"),
    "output_sum_error": Statistic("mean distance of the sum of an output row from one"),
}
