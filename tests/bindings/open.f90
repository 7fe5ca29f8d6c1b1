! Sizes that the caller gives, elements of all types, and what the averages and weights of gradients add, in Fortran.
!
! Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program sizes
  use, intrinsic :: iso_c_binding
  use open
  implicit none
  type(open_model) :: model, whole
  real(c_float) :: x(4, 3, 2), y(4, 3, 2), scale = 2, loss, sliced
  real(c_double) :: wide(4, 3, 2) = 0, weight
  logical(c_bool) :: mask(3, 2) = .true.
  integer(c_int32_t) :: places(3) = 0
  integer(c_int8_t) :: pixels(3) = -1 ! bytes of 255
  type(open_metrics) :: metrics
  character(len=200) :: message
  integer :: i, status
  logical :: done

  call model%create(open_options(threads=1))
  x = reshape([(real(i), i = 0, 23)], shape(x))
  call model%predict(2, 3, x, wide, mask, places, pixels, scale, y)
  if (any(x /= y)) error stop 'expected x times a half and times two'
  call model%predict(2, 6, x, wide, mask, places, pixels, scale, y, stat=status, errmsg=message)
  call refused()
  call model%predict(9, 3, x, wide, mask, places, pixels, scale, y, stat=status, errmsg=message)
  call refused()
  call model%predict(2, 3, x, wide, mask(2:, :), places, pixels, scale, y, stat=status, errmsg=message)
  call refused()
  call model%predict(3, 2, x, wide, mask, places, pixels, scale, y, stat=status, errmsg=message)
  call refused()
  call model%use_average(.true., stat=status, errmsg=message)
  call refused()

  call model%grad_step_n(2, 3, x, wide, mask, places, pixels, scale, x + 1.5, loss)
  if (loss /= 2.25) error stop 'expected the loss 2.25'
  call model%read_gradient('gradient_weight', weight)
  call model%read_parameter('gradient_weight', weight, stat=status, errmsg=message)
  call refused()
  print '(a, i0)', 'weight ', int(weight)
  call model%train_step_n(2, 3, x, wide, mask, places, pixels, scale, x + 1.5, loss)
  if (loss /= 2.25) error stop 'expected the loss 2.25'
  call whole%create(open_options(threads=1))
  call whole%copy_state(model)
  call whole%train_step_n(2, 3, x, wide, mask, places, pixels, scale, x + 1.5, loss)
  call model%train_step_begin_n(2, 3, x, wide, mask, places, pixels, scale, x + 1.5)
  call model%train_step_begin_n(2, 3, x, wide, mask, places, pixels, scale, x, stat=status, errmsg=message)
  call refused()
  done = .false.
  do while (.not. done)
    call model%train_step_continue(0_c_int64_t, done)
  end do
  call model%sync(sliced)
  if (sliced /= loss) error stop 'expected the loss of a whole step'
  call model%use_average(.true.)
  call model%use_average(.false.)
  call model%eval_step(2, 3, x, wide, mask, places, pixels, scale, x, metrics)
  if (metrics%loss_sum <= 0) error stop 'expected a loss'

contains

  subroutine refused()
    if (status == 0) error stop 'nothing was refused'
    print '(a)', trim(message)
  end subroutine

end program
